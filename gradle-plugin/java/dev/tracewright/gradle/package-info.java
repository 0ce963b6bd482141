/**
 * The Gradle plugin {@code dev.tracewright}: the task {@code generateTests}, the extension {@code
 * tracewright}, and the agent for {@code Test} tasks.
 *
 * <p>Flows in: the settings of a build. Flows out: arguments of {@code tracewright}, and files that
 * Gradle watches. Must not know how tests are generated.
 */
package dev.tracewright.gradle;
