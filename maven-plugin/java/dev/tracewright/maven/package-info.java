/**
 * The Maven plugin {@code tracewright}: goals {@code generate}, {@code prepare-agent} and {@code report}; {@code maven-plugin/plugin.xml} describes them.
 *
 * <p>Flows in: a project, parameters {@code tracewright.*}. Flows out: arguments of {@code tracewright}, the property {@code argLine}. Must not know
 * how tests come about.
 */
package dev.tracewright.maven;
