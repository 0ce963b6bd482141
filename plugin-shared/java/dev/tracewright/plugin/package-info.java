/**
 * What both build plugins need and neither build tool has: the program for this machine, its arguments, its run, and what JUnit a class path holds.
 *
 * <p>Flows in: files and folders that a build resolved. Flows out: a run of {@code tracewright}. Must not know Gradle, nor Maven, nor what tests
 * look like.
 */
package dev.tracewright.plugin;
