/**
 * The Maven plugin {@code tracewright}: goals {@code generate}, {@code diff}, {@code prepare-agent}
 * and {@code report}; {@code maven-plugin/plugin.xml} describes them.
 *
 * <p>Flows in: a project, and parameters {@code tracewright.*}. Flows out: arguments of {@code
 * tracewright}, and the property {@code argLine}. Must not know how tests are generated.
 */
package dev.tracewright.maven;
