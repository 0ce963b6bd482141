/**
 * Parts that both build plugins need: the program for this machine, its arguments, its run, and the
 * JUnit versions of a class path.
 *
 * <p>Flows in: files and folders that a build resolved. Flows out: a run of {@code tracewright}.
 * Must not know Gradle, Maven or test code.
 */
package dev.tracewright.plugin;
