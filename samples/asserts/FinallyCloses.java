// Idea: a file is closed after an exception too
// Verdict: right, finally runs in both cases; paths: few
package samples.asserts;

public class FinallyCloses {

    static class File implements AutoCloseable {
        private int open = 1;

        byte read(byte value) {
            if (value < 0) {
                throw new IllegalStateException("the value is below zero");
            }
            return value;
        }

        @Override
        public void close() {
            open--;
        }
    }

    static int readTwo(File file, byte first, byte second) {
        int sum = 0;
        try {
            sum += file.read(first);
            sum += file.read(second);
        } catch (IllegalStateException e) {
            sum = -1;
        } finally {
            file.close();
        }
        return sum;
    }

    public static void main(String[] args) {
        byte first = Inputs.nextByte();
        byte second = Inputs.nextByte();
        File file = new File();
        int sum = readTwo(file, first, second);
        assert file.open == 0;
        assert (sum == -1) == (first < 0 || second < 0);
    }
}
