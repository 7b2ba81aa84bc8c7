package io.github.vertxrdma.cli;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

/** The docs say nothing that is not there: links lead somewhere, headings have text, commands exist, messages stand in the sources. */
@Timeout(60)
class DocsTest {
  private static final Path PROJECT = Path.of("").toAbsolutePath().getParent();

  private static List<Path> documents() throws IOException {
    try (Stream<Path> docs = Files.list(PROJECT.resolve("docs")); Stream<Path> top = Files.list(PROJECT)) {
      List<Path> all = Stream.concat(docs, top).filter(file -> file.toString().endsWith(".md")).sorted().toList();
      assertFalse(all.isEmpty());
      return all;
    }
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<String> headings(String text) {
    return text.lines().filter(line -> line.startsWith("#")).map(line -> line.replaceFirst("^#+ *", "")).toList();
  }

  private static String anchor(String heading) {
    return heading.toLowerCase(Locale.ROOT).replaceAll("[^\\w\\- ]", "").replace(' ', '-');
  }

  @Test
  void noLinkIsDead() throws IOException {
    List<String> dead = new ArrayList<>();
    for (Path document : documents()) {
      Matcher link = Pattern.compile("]\\(([^)\\s]+)\\)").matcher(read(document));
      while (link.find()) {
        String target = link.group(1);
        if (target.matches("[a-z]+:.*")) {
          continue;
        }
        String[] parts = target.split("#", 2);
        Path file = parts[0].isEmpty() ? document : document.resolveSibling(parts[0]);
        if (!Files.exists(file)
          || parts.length == 2 && headings(read(file)).stream().noneMatch(heading -> anchor(heading).equals(parts[1]))) {
          dead.add(document.getFileName() + ": " + target);
        }
      }
    }
    assertEquals(List.of(), dead);
  }

  @Test
  void everyHeadingHasSomethingUnderIt() throws IOException {
    List<String> empty = new ArrayList<>();
    for (Path document : documents()) {
      List<String> lines = withoutCode(read(document)).lines().filter(line -> !line.isBlank()).toList();
      for (int i = 0; i < lines.size(); i++) {
        boolean last = i + 1 == lines.size();
        int depth = depth(lines.get(i));
        if (depth > 0 && (last || depth(lines.get(i + 1)) > 0 && depth(lines.get(i + 1)) <= depth)) {
          empty.add(document.getFileName() + ": " + lines.get(i));
        }
      }
    }
    assertEquals(List.of(), empty);
  }

  private static int depth(String line) {
    return line.length() - line.replaceFirst("^#+", "").length();
  }

  private static String withoutCode(String text) {
    return text.replaceAll("(?s)```.*?```", "code").replaceAll("(?m)^ {4}.*$", "code");
  }

  /** A Java example stands after the file and tag that it is quoted from, where it is compiled. */
  @Test
  void everyExampleIsQuotedFromCompiledCode() throws IOException {
    List<String> wrong = new ArrayList<>();
    for (Path document : documents()) {
      Matcher block = Pattern.compile("(?:<!-- (\\S+)#(\\S+) -->\n)?```java\n(.*?)\n```", Pattern.DOTALL).matcher(read(document));
      while (block.find()) {
        String quoted = block.group(1) == null ? "no file is named" : tagged(read(PROJECT.resolve(block.group(1))), block.group(2));
        if (!quoted.equals(block.group(3))) {
          wrong.add(document.getFileName() + ": " + block.group(3).lines().findFirst().orElse(""));
        }
      }
    }
    assertEquals(List.of(), wrong);
  }

  private static String tagged(String source, String tag) {
    Matcher region = Pattern.compile("// tag::" + Pattern.quote(tag) + "\\[]\n(.*?)\n *// end::", Pattern.DOTALL).matcher(source);
    return region.find() ? region.group(1).stripIndent() : "no such tag";
  }

  @Test
  void everyCommandOfTheLauncherExists() throws IOException {
    List<String> unknown = new ArrayList<>();
    for (Path document : documents()) {
      Matcher command = Pattern.compile("\\./rdma +(?:--no-install +|--verbose +)*([a-z]+)").matcher(read(document));
      while (command.find()) {
        if (!Files.exists(PROJECT.resolve("cli/src/main/resources/io/github/vertxrdma/cli/help/" + command.group(1) + ".txt"))) {
          unknown.add(document.getFileName() + ": " + command.group());
        }
      }
    }
    assertEquals(List.of(), unknown);
  }

  /** In troubleshooting.md, bold code is what the product says; an ellipsis stands for what differs. */
  @Test
  void everyMessageInTroubleshootingIsOneThatTheProductPrints() throws IOException {
    String sources = sources();
    List<String> unknown = new ArrayList<>();
    Matcher message = Pattern.compile("\\*\\*`([^`]+)`").matcher(read(PROJECT.resolve("docs/troubleshooting.md")));
    while (message.find()) {
      for (String part : message.group(1).split("…")) {
        String words = part.strip().replaceAll("^[:.,; ]+|[:.,; ]+$", "");
        if (words.length() > 3 && !sources.contains(words) && !message.group(1).startsWith("WARNING")) {
          unknown.add(words);
        }
      }
    }
    assertEquals(List.of(), unknown);
  }

  /** Every main source as one text, strings that are put together in the code put together. */
  private static String sources() throws IOException {
    try (Stream<Path> files = Files.walk(PROJECT)) {
      return files.filter(file -> file.toString().contains("/src/main/") && !file.toString().contains("/target/"))
        .filter(file -> file.toString().endsWith(".java") || file.toString().endsWith(".txt")).map(DocsTest::read)
        .collect(Collectors.joining("\n", read(PROJECT.resolve("rdma")), "")).replaceAll("\"\\s*\\+\\s*\"", "");
    }
  }
}
