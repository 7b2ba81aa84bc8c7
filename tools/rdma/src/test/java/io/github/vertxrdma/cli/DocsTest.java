package io.github.vertxrdma.cli;

import static io.github.vertxrdma.cli.ProjectFiles.PROJECT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class DocsTest {
  /** Links that a person has reviewed. Those of this project exist once it is published. */
  private static final Set<String> LINKS = Set.of("https://adoptium.net/installation/linux/",
    "https://adoptium.net/temurin/releases/?version=$min_java",
    "https://central.sonatype.org/publish/requirements/",
    "https://efa-installer.amazonaws.com/aws-efa-installer-latest.tar.gz",
    "https://github.com/vertxrdma",
    "https://github.com/vertxrdma/vertx-rdma",
    "https://github.com/vertxrdma/vertx-rdma.git",
    "https://github.com/vertxrdma/vertx-rdma/issues",
    "https://github.com/vertxrdma/vertx-rdma/security/advisories/new",
    "https://micrometer.io",
    "https://openjdk.org/jeps/514",
    "https://vertx.io",
    "https://www.apache.org/licenses/LICENSE-2.0.txt");

  private static List<Path> documents() throws IOException {
    try (Stream<Path> templates = Files.walk(PROJECT.resolve(".github"))) {
      List<Path> all = Stream.concat(ProjectFiles.all().stream(), templates)
        .filter(file -> file.toString().endsWith(".md") || isAsciiDoc(file)).sorted().toList();
      assertFalse(all.isEmpty());
      return all;
    }
  }

  private static boolean isAsciiDoc(Path file) {
    return file.toString().endsWith(".adoc");
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<String> headings(Path file) {
    return withoutCode(file).lines().filter(line -> depth(file, line) > 0).map(line -> line.substring(depth(file, line)).strip()).toList();
  }

  private static int depth(Path file, String line) {
    Matcher heading = Pattern.compile(isAsciiDoc(file) ? "(=+) .*" : "(#+) .*").matcher(line);
    return heading.matches() ? heading.group(1).length() : 0;
  }

  private static String withoutCode(Path file) {
    String text = read(file);
    return isAsciiDoc(file) ? text.replaceAll("(?ms)^----$.*?^----$", "code")
      : text.replaceAll("(?s)```.*?```", "code").replaceAll("(?m)^ {4}.*$", "code");
  }

  private static String anchor(String heading) {
    return heading.toLowerCase(Locale.ROOT).replaceAll("[^\\w\\- .]", "").replaceAll("[ .-]+", "-");
  }

  @Test
  void noLinkIsDead() throws IOException {
    List<String> dead = new ArrayList<>();
    // Links: xref:page.adoc#heading[text], <<heading,text>>; in Markdown [text](target).
    Pattern asciiDoc = Pattern.compile("xref:([^\\[\\s]+)\\[|<<([\\w-]+)[,>]");
    Pattern markdown = Pattern.compile("]\\(([^)\\s]+)\\)()");
    for (Path document : documents()) {
      Matcher link = (isAsciiDoc(document) ? asciiDoc : markdown).matcher(read(document));
      while (link.find()) {
        String target = link.group(1) == null ? "#" + link.group(2) : link.group(1);
        if (target.matches("[a-z]+:.*")) {
          continue;
        }
        String[] parts = target.split("#", 2);
        Path file = parts[0].isEmpty() ? document : document.resolveSibling(parts[0]);
        if (!Files.exists(file) || parts.length == 2 && headings(file).stream().noneMatch(heading -> anchor(heading).equals(parts[1]))) {
          dead.add(document.getFileName() + ": " + target);
        }
      }
    }
    assertEquals(List.of(), dead);
  }

  @Test
  void theIndexLeadsToEveryPage() throws IOException {
    String index = read(PROJECT.resolve("docs/index.adoc"));
    assertEquals(List.of(), documents().stream().filter(DocsTest::isAsciiDoc).map(document -> document.getFileName().toString())
      .filter(name -> !name.equals("index.adoc") && !index.contains("xref:" + name + "[")).toList());
  }

  /**
   * Each example equals the tagged part of the file that the comment before it names. {@code -Dvertx.rdma.docs.write=true} updates the
   * pages.
   */
  @Test
  void everyExampleIsCompiledCode() throws IOException {
    Pattern asciiDoc = Pattern.compile("(?ms)(?:^// (\\S+)#(\\S+)\n)?^\\[source, *(?:java|c)]\n----\n(.*?)\n----$");
    Pattern markdown = Pattern.compile("(?s)(?:<!-- (\\S+)#(\\S+) -->\n)?```java\n(.*?)\n```");
    List<String> wrong = new ArrayList<>();
    for (Path document : documents()) {
      String page = read(document);
      Matcher block = (isAsciiDoc(document) ? asciiDoc : markdown).matcher(page);
      StringBuilder mended = new StringBuilder();
      int from = 0;
      while (block.find()) {
        String code = block.group(1) == null ? null : tagged(read(PROJECT.resolve(block.group(1))), block.group(2));
        if (!block.group(3).equals(code)) {
          wrong.add(document.getFileName() + ": " + block.group(3).lines().findFirst().orElse(""));
        }
        mended.append(page, from, block.start(3)).append(code == null ? block.group(3) : code);
        from = block.end(3);
      }
      if (Boolean.getBoolean("vertx.rdma.docs.write")) {
        Files.writeString(document, mended.append(page, from, page.length()));
      }
    }
    assertEquals(List.of(), wrong, "examples that are not what their sources have; make them anew as CONTRIBUTING.md says");
  }

  /**
   * Before its first section each page has a complete Java file: a test, or a program with the output that PageExamplesTest compares. A
   * table of tests/README.md lists exceptions with reasons.
   */
  @Test
  void eachPageBeginsWithCompleteExampleOrHasReason() throws IOException {
    Pattern program = Pattern.compile("(?s)// \\S+\\.java#all\n\\[source,java]\n----\nimport .*?static void main\\(.*\n\\$ .*");
    Pattern test = Pattern.compile("(?s)// \\S+Test\\.java#all\n\\[source,java]\n----\nimport .*");
    Set<String> without = new TreeSet<>();
    for (Path page : documents()) {
      String beginning = read(page).split("\n== ", 2)[0];
      if (isAsciiDoc(page) && !program.matcher(beginning).find() && !test.matcher(beginning).find()) {
        without.add(page.getFileName().toString());
      }
    }
    String table = read(PROJECT.resolve("tests/README.md"));
    Set<String> listed = Pattern.compile("(?m)^\\| `(\\S+\\.adoc)` \\| \\S.{10,} \\|$")
      .matcher(table.substring(table.indexOf("## Pages without a program"))).results().map(row -> row.group(1))
      .collect(Collectors.toCollection(TreeSet::new));
    assertEquals(listed, without);
  }

  private static String tagged(String source, String tag) {
    Matcher region = Pattern.compile("// tag::" + Pattern.quote(tag) + "\\[]\n(.*?)\n *// end::", Pattern.DOTALL).matcher(source);
    return region.find() ? region.group(1).stripIndent() : null;
  }

  @Test
  void everyCommandOfTheLauncherExists() throws IOException {
    List<String> unknown = new ArrayList<>();
    for (Path document : documents()) {
      Matcher command = Pattern.compile("\\./rdma +(?:--no-install +|--verbose +)*([a-z]+)").matcher(read(document));
      while (command.find()) {
        if (!Files.exists(PROJECT.resolve("tools/rdma/help/" + command.group(1) + ".txt"))) {
          unknown.add(document.getFileName() + ": " + command.group());
        }
      }
    }
    assertEquals(List.of(), unknown);
  }

  /** An ellipsis in the page's messages stands for any text. */
  @Test
  void everyMessageInTroubleshootingIsOneThatTheProductPrints() throws IOException {
    String sources = sources();
    List<String> unknown = new ArrayList<>();
    Matcher message = Pattern.compile("\\*`\\+?([^`]+?)\\+?`").matcher(read(PROJECT.resolve("docs/troubleshooting.adoc")));
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

  private static String sources() throws IOException {
    return ProjectFiles.all().stream().filter(file -> file.toString().contains("/src/main/"))
      .filter(file -> file.toString().endsWith(".java") || file.toString().endsWith(".txt")).map(DocsTest::read)
      .collect(Collectors.joining("\n", Stream.of("rdma", "tools/rdma/launcher/packages", "tools/rdma/launcher/build")
        .map(file -> read(PROJECT.resolve(file))).collect(Collectors.joining()), ""))
      .replaceAll("\"\\s*\\+\\s*\"", "");
  }

  /** Words have a letter or digit; listings and generated parts, which the page marks, do not count. */
  @Test
  void pagesAreWithinTheirBudgetOfWords() throws IOException {
    Map<String, Long> words = new TreeMap<>();
    Set<String> tests = ProjectFiles.all().stream().map(file -> file.getFileName().toString()).collect(Collectors.toSet());
    for (Path page : documents()) {
      String text = read(page);
      if (isAsciiDoc(page) && !text.contains("\nThis page is generated from ")) {
        Pattern.compile("(?m)^// compared with .* by (\\w+)$").matcher(text).results()
          .forEach(marker -> assertTrue(tests.contains(marker.group(1) + ".java"), page + ": " + marker.group()));
        String prose = text.replaceAll("(?ms)^----$.*?^----$", "").replaceAll("(?ms)^// figures$.*?^// end of figures$", "")
          .replaceAll("(?ms)^// (?:compared with|figures of) [^\n]+\n\\[[^\n]+\n\\|===$.*?^\\|===$", "");
        words.put(page.getFileName().toString(), Pattern.compile("\\S*\\w\\S*").matcher(prose).results().count());
      }
    }
    long sum = words.values().stream().mapToLong(Long::longValue).sum();
    assertTrue(sum <= 28_800, sum + " words: " + words);
    assertTrue(words.get("protocol.adoc") <= 6_250, words.toString());
  }

  /** Checks pages, sources, the launcher, the parent POM and the issue templates. XML namespaces are no links. */
  @Test
  void linksToOtherSitesAreReviewed() throws IOException {
    List<Path> files = new ArrayList<>(documents());
    files.add(PROJECT.resolve("pom.xml"));
    ProjectFiles.all().stream().filter(file -> file.toString().matches(".*/src/main/.*|.*/tools/rdma/launcher/[^/]+")).forEach(files::add);
    try (Stream<Path> templates = Files.walk(PROJECT.resolve(".github"))) {
      templates.filter(Files::isRegularFile).forEach(files::add);
    }
    Pattern address = Pattern.compile("https?://[\\w-]+(?:\\.[\\w-]+)+(?::\\d+)?(?:/[^\\s\\[\\])>`\"'<|\\\\]*)?");
    Set<String> found = new TreeSet<>();
    for (Path file : files) {
      address.matcher(read(file)).results().map(link -> link.group().replaceAll("[.,;]$", ""))
        .filter(link -> !link.matches("http://(maven\\.apache\\.org/(POM|xsd)/|www\\.w3\\.org/).*"))
        .filter(link -> !link.matches("http://(127|10)\\.[\\d.]+(:\\d+)?(/.*)?")).forEach(found::add);
    }
    assertEquals(new TreeSet<>(LINKS), found, "a new link is looked at, and added to the list");
    assertTrue(LINKS.stream().allMatch(link -> link.startsWith("https://")), LINKS.toString());
  }

  @Test
  void everyNamedTestExists() throws IOException {
    Map<String, String> tests = new HashMap<>();
    ProjectFiles.all().stream().filter(file -> file.toString().matches(".*/src/test/java/.*Test\\.java"))
      .forEach(file -> tests.merge(file.getFileName().toString().replace(".java", ""), read(file), String::concat));
    List<String> missing = new ArrayList<>();
    for (Path page : documents()) {
      Matcher named = Pattern.compile("`([A-Z]\\w+Test)\\.(\\w+)`").matcher(read(page));
      while (named.find()) {
        if (!tests.getOrDefault(named.group(1), "").contains(" " + named.group(2) + "(")) {
          missing.add(page.getFileName() + ": " + named.group());
        }
      }
    }
    assertEquals(List.of(), missing);
  }

  @Test
  void eachCellOfTheTableOfAttacksNamesItsTest() throws IOException {
    String page = read(PROJECT.resolve("docs/security.adoc"));
    String table = page.substring(page.indexOf("\n", page.indexOf("|===", page.indexOf("=== What was tried"))));
    String[] rows = table.substring(0, table.indexOf("\n|===")).strip().split("\n\n");
    int parties = rows[0].split("\\|").length - 2;
    List<String> wrong = new ArrayList<>();
    for (String row : List.of(rows).subList(1, rows.length)) {
      List<String> cells = Pattern.compile("(?m)^\\| ").splitAsStream(row).skip(1).toList();
      if (cells.size() != 1 + parties || !cells.stream().skip(1).allMatch(cell -> cell.matches("(?s).*`\\w+Test\\.\\w+`.*"))) {
        wrong.add(row);
      }
    }
    assertEquals(List.of(), wrong, "rows with other than " + parties + " cells that name a test");
    assertEquals(5, parties);
    assertTrue(rows.length > 6);
  }

  /** The comment before a row names its tests, and what has none. Cells of the table of attacks name their tests themselves. */
  @Test
  void rowsAboutSecurityNameTheirTests() throws IOException {
    String page = read(PROJECT.resolve("docs/security.adoc"));
    String tests = ProjectFiles.all().stream().filter(file -> file.toString().matches(".*/src/test/java/.*Test\\.java"))
      .map(file -> read(file).replaceAll("(?m)^  (?:public )?void ", file.getFileName().toString().replace("java", "")))
      .collect(Collectors.joining());
    List<String> wrong = new ArrayList<>();
    Pattern.compile("(?m)^(?!// ).*\\n\\| (?:A\\d, |an? \\w).*").matcher(page).results().forEach(row -> wrong.add(row.group()));
    int withoutTest = 0;
    Matcher comment = Pattern.compile("(?m)^// (\\w+Test\\.\\w+(?:, \\w+Test\\.\\w+)*)?(?:(?:; )?none: (.+))?$\\n\\| ").matcher(page);
    int rows = 0;
    for (; comment.find(); rows++) {
      Stream.ofNullable(comment.group(1)).flatMap(named -> Stream.of(named.split(", "))).filter(test -> !tests.contains(test + '('))
        .forEach(wrong::add);
      withoutTest += comment.group(2) == null ? 0 : comment.group(2).split("; ").length;
    }
    assertEquals(List.of(), wrong);
    assertTrue(rows > 16, rows + " rows");
    assertTrue(withoutTest <= 4, withoutTest + " claims without a test");
  }

  @Test
  void theParsersAreThoseThatAreTried() throws IOException {
    String page = read(PROJECT.resolve("tests/README.md"));
    Set<String> told = new TreeSet<>();
    Matcher row = Pattern.compile("(?m)^\\| (`[a-z`, -]+`) \\|")
      .matcher(page.substring(page.indexOf("## Parsers"), page.indexOf("## Verbs")));
    while (row.find()) {
      told.addAll(List.of(row.group(1).replace("`", "").split(", ")));
    }
    assertEquals(ProjectFiles.all().stream().filter(file -> file.toString().matches(".*/src/test/resources/corpus/[^/]+\\.hex"))
      .map(file -> file.getFileName().toString().replace(".hex", "")).collect(Collectors.toCollection(TreeSet::new)), told);
  }

  /** The comment before a row names the end of a file's path and a constant. */
  @Test
  void theLimitsAreThoseOfTheCode() throws IOException {
    List<Path> sources = ProjectFiles.all().stream()
      .filter(file -> file.toString().contains("/src/main/java/") && file.toString().endsWith(".java")).toList();
    Matcher row = Pattern.compile("^// (\\S+\\.java) (\\w+)(?:; \\S+)?\\n\\|[^|]*\\| (\\d+)( [A-Za-z]+)? \\|", Pattern.MULTILINE)
      .matcher(read(PROJECT.resolve("docs/limits.adoc")));
    List<String> wrong = new ArrayList<>();
    int rows = 0;
    for (; row.find(); rows++) {
      String place = row.group(1) + ' ' + row.group(2);
      List<Path> found = sources.stream().filter(file -> file.endsWith(row.group(1))).toList();
      String source = found.size() == 1 ? read(found.getFirst()) : "";
      long unit = unit(row.group(4) == null ? "" : row.group(4).strip(), row.group(2));
      Long value = constant(source, row.group(2));
      if (value == null || value != Long.parseLong(row.group(3)) * unit) {
        wrong.add(place + ", in " + found.size() + " files, is " + value + ", not " + row.group(3) + " of " + unit);
      }
    }
    assertEquals(List.of(), wrong);
    assertTrue(rows > 30, rows + " rows");
  }

  /** The comment before a row names the test that fails without the limit. */
  @Test
  void theLimitsAreThoseOfTests() throws IOException {
    String page = read(PROJECT.resolve("docs/limits.adoc"));
    page = page.substring(page.indexOf("== Each limit"), page.indexOf("\n|===\n\n", page.indexOf("== Each limit")));
    // A row has five cells. The first row is the head.
    long rows = Pattern.compile("(?m)(^|(?<= ))\\|\\s").matcher(page.replaceAll("(?m)^//.*", "")).results().count() / 5 - 1;
    List<String> missing = new ArrayList<>();
    Matcher test = Pattern.compile("(?m)^// (?:.*; )?(\\w+)\\.(\\w+)$").matcher(page);
    int tested = 0;
    for (; test.find(); tested++) {
      String file = test.group(1) + ".java";
      String method = " " + test.group(2) + "(";
      if (ProjectFiles.all().stream().noneMatch(each -> each.endsWith(file) && read(each).contains(method))) {
        missing.add(test.group());
      }
    }
    assertEquals(List.of(), missing);
    assertEquals(rows, tested);
  }

  /** The comment before a row names the end of the path of the class with the versions. */
  @Test
  void theVersionsAreThoseOfTheCode() throws IOException {
    Map<String, String> code = new TreeMap<>();
    Pattern range = Pattern.compile("VersionRange [A-Z]+ = new VersionRange\\((\\d+), (\\d+)\\);");
    for (Path file : ProjectFiles.all()) {
      Matcher found = file.toString().contains("/src/main/java/") ? range.matcher(read(file)) : null;
      if (found != null && found.find()) {
        code.put(file.toString(), IntStream.rangeClosed(Integer.parseInt(found.group(1)), Integer.parseInt(found.group(2)))
          .mapToObj(Integer::toString).collect(Collectors.joining(", ")));
      }
    }
    Map<String, String> docs = new TreeMap<>();
    Matcher row = Pattern.compile("(?m)^// (\\S+\\.java)\n\\| [^|]+ \\| ([0-9, ]+) \\|")
      .matcher(read(PROJECT.resolve("docs/protocol.adoc")));
    while (row.find()) {
      docs.put(code.keySet().stream().filter(file -> file.endsWith("/" + row.group(1))).findFirst().orElse(row.group(1)), row.group(2));
    }
    assertEquals(code, docs);
  }

  @Test
  void figuresInWhichLimitsAreSeenExist() throws IOException {
    String page = read(PROJECT.resolve("docs/limits.adoc"));
    String sources = sources();
    Matcher figure = Pattern.compile("`(?:vertx\\.rdma\\.|[A-Z]\\w+\\.)?([\\w.]+)`")
      .matcher(page.substring(page.indexOf("== Where limits are seen")));
    assertEquals(List.of(), figure.results().map(found -> found.group(1)).filter(name -> !sources.contains(name)).toList());
  }

  private static long unit(String unit, String constant) {
    return switch (unit) {
      case "" -> 1;
      case "KiB" -> 1 << 10;
      case "MiB" -> 1 << 20;
      case "TiB" -> 1L << 40;
      case "s" -> constant.endsWith("_NANOS") ? 1_000_000_000 : 1_000;
      default -> throw new IllegalArgumentException(unit);
    };
  }

  /** Returns the value of a constant: a number, a product or a shift; null if the constant is missing. */
  private static Long constant(String source, String name) {
    Matcher constant = Pattern.compile("static final \\w+ " + name + " = ([^;]+);").matcher(source);
    return constant.find() ? number(source, constant.group(1).replaceAll("Duration\\.ofSeconds\\((\\d+)\\)", "$1 * 1000")) : null;
  }

  private static long number(String source, String expression) {
    String[] parts = expression.split("\\*|<<");
    if (parts.length == 2) {
      long first = number(source, parts[0]);
      long second = number(source, parts[1]);
      return expression.contains("<<") ? first << second : first * second;
    }
    String word = expression.strip();
    return Character.isDigit(word.charAt(0)) ? Long.parseLong(word.replaceAll("[_L]", "")) : constant(source, word);
  }
}
