package dev.tracewright.maven;

import dev.tracewright.plugin.Arguments;
import dev.tracewright.plugin.Program;
import dev.tracewright.plugin.TracewrightException;
import java.io.File;

/**
 * {@code tracewright:report}: shows what the last generation wrote for a module, and the reasons
 * for missing tests.
 */
public final class ReportMojo extends TracewrightMojo {
    private File reportDirectory;

    @Override
    void run() throws TracewrightException {
        if (skip || "pom".equals(project.getPackaging())) {
            return;
        }
        if (!new File(reportDirectory, "report.json").isFile()) {
            getLog().warn("there is no report in " + reportDirectory + ": run tracewright:generate first");
            return;
        }
        Arguments arguments = new Arguments("report").argument(reportDirectory);
        Program.run(installation(), arguments, new File(project.getBuild().getDirectory(), "tracewright/report-arguments.txt").toPath(),
                project.getBasedir().toPath(), getLog()::info);
    }
}
