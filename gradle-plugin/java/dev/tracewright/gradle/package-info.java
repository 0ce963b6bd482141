/**
 * The Gradle plugin {@code dev.tracewright}: the task {@code generateTests}, the extension {@code tracewright}, and the agent for {@code Test} tasks.
 *
 * <p>Flows in: what a build says. Flows out: arguments of {@code tracewright}, files that Gradle knows of. Must not know how tests come about.
 */
package dev.tracewright.gradle;
