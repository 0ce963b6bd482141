package web;

/** The body or form with a greeting. */
public class GreetingForm {
    private String text;
    private int copies;

    public String getText() {
        return text;
    }

    public void setText(String text) {
        this.text = text;
    }

    public int getCopies() {
        return copies;
    }

    public void setCopies(int copies) {
        this.copies = copies;
    }
}
