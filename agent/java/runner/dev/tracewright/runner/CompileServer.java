package dev.tracewright.runner;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.StandardLocation;
import javax.tools.ToolProvider;

/**
 * Compiles sources from memory. Flows in: sources and options, by frames; flows out: class files
 * and messages. The compiler stays warm between requests. No code of the class path runs, but for
 * annotation processors where a request asks for them.
 */
final class CompileServer {
    /** The first Java whose compiler runs processors of the class path only where it is told to. */
    private static final int PROCESSORS_BY_REQUEST = 23;

    private final Wire wire;
    /** The class path of the last request, and its open jars: opening a hundred of them takes longer than a test. */
    private List<File> opened = List.of();
    /** The release of that request: a jar is read as it is for the release that first opens it. */
    private int openedFor;
    private StandardJavaFileManager files;

    CompileServer(Wire wire) {
        this.wire = wire;
    }

    void serve() throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        if (compiler == null) {
            throw new IOException("this Java installation has no compiler");
        }
        warm(compiler);
        wire.write(new Wire.Writer(Wire.READY).int8(0));
        while (true) {
            Wire.Reader in = wire.read();
            if (in == null) {
                return;
            }
            if (in.uint8() != Wire.COMPILE) {
                throw new IOException("unknown frame");
            }
            compile(compiler, in);
        }
    }

    /** Loads the classes of a first compilation while the engine has no request yet. */
    private static void warm(JavaCompiler compiler) throws IOException {
        File folder = new File(System.getProperty("java.io.tmpdir"));
        Source source = new Source("Warm.java", "class Warm { Object list(int n) { java.util.List<String> l = new java.util.ArrayList<>();"
                + " for (String s : l) { Runnable r = () -> System.out.println(s + n); r.run(); } return l; } }");
        DiagnosticCollector<JavaFileObject> diagnostics = new DiagnosticCollector<>();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(diagnostics, Locale.ROOT, StandardCharsets.UTF_8)) {
            files.setLocation(StandardLocation.CLASS_OUTPUT, List.of(folder));
            compiler.getTask(null, files, diagnostics, options(17, false), null, List.of(source)).call();
        }
        new File(folder, "Warm.class").delete();
    }

    private static List<String> options(int release, boolean processors) {
        List<String> options = new ArrayList<>(List.of("--release", Integer.toString(release), "-implicit:none", "-g", "-Xlint:none",
                "-Xlint:-options", "-Xmaxerrs", "10000"));
        if (!processors) {
            options.add("-proc:none");
        } else if (Runtime.version().feature() >= PROCESSORS_BY_REQUEST) {
            options.add("-proc:full");
        }
        return options;
    }

    private static final class Source extends SimpleJavaFileObject {
        private final String path;
        private final String text;

        Source(String path, String text) throws IOException {
            super(uri(path), Kind.SOURCE);
            this.path = path;
            this.text = text;
        }

        private static URI uri(String path) throws IOException {
            try {
                return new URI("string", null, "/" + path, null);
            } catch (java.net.URISyntaxException wrong) {
                throw new IOException(wrong);
            }
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }

    /** Opens the class path for a release, unless it is that of the last request. */
    private void open(JavaCompiler compiler, List<File> classpath, int release) throws IOException {
        if (files != null && openedFor == release && opened.equals(classpath)) {
            return;
        }
        if (files != null) {
            files.close();
        }
        files = compiler.getStandardFileManager(null, Locale.ROOT, StandardCharsets.UTF_8);
        files.setLocation(StandardLocation.CLASS_PATH, classpath);
        opened = classpath;
        openedFor = release;
    }

    private void compile(JavaCompiler compiler, Wire.Reader in) throws IOException {
        List<Source> sources = new ArrayList<>();
        for (int n = in.int32(); n > 0; n--) {
            sources.add(new Source(in.string(), in.string()));
        }
        List<File> classpath = new ArrayList<>();
        for (int n = in.int32(); n > 0; n--) {
            classpath.add(new File(in.string()));
        }
        int release = in.int32();
        File out = new File(in.string());
        boolean processors = in.uint8() != 0;
        DiagnosticCollector<JavaFileObject> diagnostics = new DiagnosticCollector<>();
        open(compiler, classpath, release);
        files.setLocation(StandardLocation.CLASS_OUTPUT, List.of(out));
        boolean done = compiler.getTask(null, files, diagnostics, options(release, processors), null, sources).call();
        Wire.Writer frame = new Wire.Writer(Wire.COMPILED).int8(done ? 1 : 0).int32(diagnostics.getDiagnostics().size());
        for (Diagnostic<? extends JavaFileObject> diagnostic : diagnostics.getDiagnostics()) {
            String file = diagnostic.getSource() instanceof Source source ? source.path : "";
            int kind = switch (diagnostic.getKind()) {
                case ERROR -> 0;
                case WARNING, MANDATORY_WARNING -> 1;
                default -> 2;
            };
            frame.string(file)
                    .int32((int) Math.max(0, diagnostic.getLineNumber()))
                    .string(diagnostic.getMessage(Locale.ROOT))
                    .int8(kind);
        }
        wire.write(frame);
    }
}
