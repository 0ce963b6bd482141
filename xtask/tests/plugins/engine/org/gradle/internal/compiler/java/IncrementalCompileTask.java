package org.gradle.internal.compiler.java;

import java.util.Locale;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import javax.annotation.processing.Processor;
import javax.tools.JavaCompiler;

/** Replaces a class of Gradle that its API jar lacks. Compiles without recording dependencies between classes. */
public class IncrementalCompileTask implements JavaCompiler.CompilationTask {
    private final JavaCompiler.CompilationTask compilation;

    public IncrementalCompileTask(JavaCompiler.CompilationTask compilation, Function<?, ?> relativize, Consumer<?> classNames, Consumer<?> constants,
            BiConsumer<?, ?> dependents, BiConsumer<?, ?> accessible) {
        this.compilation = compilation;
    }

    @Override
    public void addModules(Iterable<String> modules) {
        compilation.addModules(modules);
    }

    @Override
    public void setProcessors(Iterable<? extends Processor> processors) {
        compilation.setProcessors(processors);
    }

    @Override
    public void setLocale(Locale locale) {
        compilation.setLocale(locale);
    }

    @Override
    public Boolean call() {
        return compilation.call();
    }
}
