package io.github.vertxrdma.provider.contract.parsers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;

/**
 * Inputs of a parser in {@code src/test/resources/corpus/NAME.hex}. A line has the protocol's version ({@code -} for none), a name, and
 * hexadecimal bytes. {@code #} begins a comment.
 */
public final class Corpus {
  private static final Path FOLDER = Path.of("src/test/resources/corpus");

  public record Input(String version, String name, byte[] bytes) {
    public String line() {
      return version + ' ' + name + ' ' + HexFormat.of().formatHex(bytes);
    }
  }

  private Corpus() {
  }

  static List<String> names() throws IOException {
    try (Stream<Path> files = Files.list(FOLDER)) {
      return files.map(file -> file.getFileName().toString().replace(".hex", "")).sorted().toList();
    }
  }

  public static List<Input> of(String parser) throws IOException {
    List<Input> inputs = new ArrayList<>();
    Path file = FOLDER.resolve(parser + ".hex");
    for (String line : Files.readAllLines(file)) {
      if (line.isBlank() || line.startsWith("#")) {
        continue;
      }
      String[] words = line.split(" ", 3);
      if (words.length < 2) {
        throw new IOException(file + ": '" + line + "' has no version and name");
      }
      inputs.add(new Input(words[0], words[1], words.length == 3 ? HexFormat.of().parseHex(words[2]) : new byte[0]));
    }
    if (inputs.isEmpty()) {
      throw new IOException(file + " has no inputs");
    }
    return inputs;
  }
}
