package dev.tracewright.plugin;

/** A problem, as one sentence for the user of a build. */
public final class TracewrightException extends Exception {
    private static final long serialVersionUID = 1;

    public TracewrightException(String sentence) {
        super(sentence);
    }

    public TracewrightException(String sentence, Throwable cause) {
        super(sentence, cause);
    }
}
