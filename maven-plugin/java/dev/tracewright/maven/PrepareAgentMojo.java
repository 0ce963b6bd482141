package dev.tracewright.maven;

import dev.tracewright.plugin.TestFiles;
import dev.tracewright.plugin.TracewrightException;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;

/**
 * {@code tracewright:prepare-agent}: puts the recording agent before the present value of {@code
 * argLine}, which Surefire and Failsafe read.
 */
public final class PrepareAgentMojo extends TracewrightMojo {
    private List<String> classes;
    private File sessionDirectory;
    private String propertyName;

    @Override
    void run() throws TracewrightException {
        Properties properties = project.getProperties();
        String before = properties.getProperty(propertyName, "");
        if (skip || "pom".equals(project.getPackaging())) {
            // An empty value is needed: @{argLine} of a Surefire configuration must resolve.
            properties.setProperty(propertyName, before);
            getLog().info("nothing is recorded: " + (skip ? "tracewright.skip is set" : "a module of packaging pom runs no tests"));
            return;
        }
        Path folder;
        try {
            folder = TestFiles.session(sessionDirectory.toPath(), session.getRequest().getStartTime().getTime());
        } catch (IOException error) {
            throw new TracewrightException("the session of an earlier run in " + sessionDirectory + " cannot be removed (" + error.getMessage() + ")", error);
        }
        StringBuilder agent = new StringBuilder("-agentpath:").append(installation().agent()).append("=mode=record,session=").append(folder);
        if (classes != null) {
            classes.forEach(glob -> agent.append(",include=").append(glob));
        }
        // Surefire splits at blanks, and takes quoted words as one.
        String word = agent.indexOf(" ") < 0 ? agent.toString() : '"' + agent.toString() + '"';
        String line = before.isEmpty() ? word : word + " " + before;
        properties.setProperty(propertyName, line);
        getLog().info(propertyName + " set to " + line);
    }
}
