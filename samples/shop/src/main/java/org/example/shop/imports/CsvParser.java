package org.example.shop.imports;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Reader;
import java.util.ArrayList;
import java.util.List;

/** Comma separated values with quotes; a quoted field may span lines. */
public class CsvParser {

    private final char separator;

    public CsvParser(char separator) {
        if (separator == '"' || separator == '\n' || separator == '\r') {
            throw new IllegalArgumentException("not a separator");
        }
        this.separator = separator;
    }

    public List<List<String>> parse(Reader input) throws IOException {
        BufferedReader reader = new BufferedReader(input);
        List<List<String>> rows = new ArrayList<>();
        List<String> row = new ArrayList<>();
        StringBuilder field = new StringBuilder();
        boolean quoted = false;
        int c;
        while ((c = reader.read()) >= 0) {
            if (quoted) {
                if (c != '"') {
                    field.append((char) c);
                    continue;
                }
                reader.mark(1);
                if (reader.read() == '"') {
                    field.append('"');
                } else {
                    reader.reset();
                    quoted = false;
                }
            } else if (c == '"' && field.length() == 0) {
                quoted = true;
            } else if (c == separator) {
                row.add(field.toString());
                field.setLength(0);
            } else if (c == '\n') {
                end(rows, row, field);
                row = new ArrayList<>();
            } else if (c != '\r') {
                field.append((char) c);
            }
        }
        if (quoted) {
            throw new IOException("a quote is not closed");
        }
        end(rows, row, field);
        return rows;
    }

    private static void end(List<List<String>> rows, List<String> row, StringBuilder field) {
        if (!row.isEmpty() || field.length() > 0) {
            row.add(field.toString());
            rows.add(row);
        }
        field.setLength(0);
    }
}
