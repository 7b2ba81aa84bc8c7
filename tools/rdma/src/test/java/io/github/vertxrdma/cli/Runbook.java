package io.github.vertxrdma.cli;

import static io.github.vertxrdma.cli.ProjectFiles.PROJECT;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Messages and alerts of docs/messages.txt, and the page and rules that are generated from it. */
final class Runbook {
  static final Path PAGE = PROJECT.resolve("docs/runbook.adoc");
  static final Path RULES = PROJECT.resolve("docker/metrics/alerts.yml");
  private static final String ALERT = "ALERT";
  private static final Map<String, String> URGENCIES = new TreeMap<>(Map.of(
    "now", "Act at once: messages are lost or refused, or a part of the node does not work until somebody acts.",
    "soon", "Act in working hours: everything works, but slower or with less protection, or a message that expects no reply was lost.",
    "watch", "Act only if the message repeats or the condition lasts."));
  private static final Pattern CALL = Pattern
    .compile("\\bLOG(?:GER)?\\.(warn|error)\\(|\\bLOG(?:GER)?\\.log\\(\\s*System\\.Logger\\.Level\\."
      + "(WARNING|ERROR),|\\b(\\w+)\\)?\\s*\\.log\\(");
  private static final Set<String> OTHERS = Set.of("LOG", "LOGGER", "abandoned", "slow", "ends", "losses");
  private static final Pattern LITERAL = Pattern.compile("\"((?:[^\"\\\\]|\\\\.)*)\"", Pattern.DOTALL);

  private final List<Row> rows;

  /**
   * @param kind WARNING, SEVERE or ALERT
   * @param source class or alert
   * @param text message or expression
   */
  record Row(String kind, String source, String text, Map<String, String> fields) {
    String key() {
      return kind + ' ' + source + ": " + text;
    }

    String field(String name) {
      return fields.getOrDefault(name, "");
    }

    boolean isAlert() {
      return kind.equals(ALERT);
    }

    String shown() {
      return fields.getOrDefault("shown", text);
    }
  }

  Runbook() throws IOException {
    String list = Files.readAllLines(PROJECT.resolve("docs/messages.txt")).stream().filter(line -> !line.startsWith("#"))
      .collect(Collectors.joining("\n"));
    rows = Stream.of(list.split("\n\n+")).map(String::strip).filter(block -> !block.isEmpty()).map(Runbook::row).toList();
  }

  private static Row row(String block) {
    List<String> lines = block.lines().toList();
    String[] head = lines.getFirst().split(" ", 2);
    Map<String, String> fields = new TreeMap<>();
    lines.subList(2, lines.size()).forEach(line -> fields.put(line.substring(0, line.indexOf(':')), line.substring(line.indexOf(':') + 2)));
    return new Row(head[0], head[1], lines.get(1), fields);
  }

  List<Row> alerts() {
    return rows.stream().filter(Row::isAlert).toList();
  }

  TreeSet<String> listed() {
    return rows.stream().filter(row -> !row.isAlert() && !row.source.equals("Vert.x")).map(Row::key)
      .collect(Collectors.toCollection(TreeSet::new));
  }

  List<String> incomplete() {
    return rows.stream().filter(row -> row.field("meaning").isEmpty() || row.field("remedy").isEmpty()
      || !URGENCIES.containsKey(row.field("urgency")) || row.isAlert() && row.field("for").isEmpty()
      || row.shown().equals("…")).map(Row::key).toList();
  }

  static TreeSet<String> logged() throws IOException {
    TreeSet<String> found = new TreeSet<>();
    for (Path file : ProjectFiles.all()) {
      String path = PROJECT.relativize(file).toString();
      if (path.endsWith(".java") && path.contains("/src/main/java") && !path.matches("(tools|demos|testing|tests)/.*")
        && !path.endsWith("/Refusals.java")) {
        addLogged(found, file.getFileName().toString().replace(".java", ""), Files.readString(file));
      }
    }
    return found;
  }

  static void addLogged(TreeSet<String> found, String name, String source) {
    boolean limited = source.contains("new Refusals(LOG,");
    Matcher call = CALL.matcher(source);
    while (call.find()) {
      if (call.group(3) == null || limited && !OTHERS.contains(call.group(3))) {
        String level = String.valueOf(call.group(1)).equals("error") || String.valueOf(call.group(2)).equals("ERROR") ? "SEVERE"
          : "WARNING";
        found.add(level + ' ' + name + ": " + text(arguments(source, call.end(), ',').getFirst()));
      }
    }
  }

  /** Returns the text of a message; an ellipsis replaces each part that is no literal. */
  private static String text(String expression) {
    StringBuilder text = new StringBuilder();
    for (String part : arguments(expression + ')', 0, '+')) {
      Matcher literal = LITERAL.matcher(part.strip());
      text.append(literal.matches() ? literal.group(1).replaceAll("\\{\\d}", "…").replace("\\\"", "\"") : "…");
    }
    return text.toString().replaceAll("…+", "…");
  }

  /** Splits the text up to the closing bracket at a separator outside of brackets and literals. */
  private static List<String> arguments(String source, int from, char separator) {
    List<String> parts = new ArrayList<>();
    int depth = 1;
    int start = from;
    boolean quoted = false;
    for (int i = from; depth > 0; i++) {
      char c = source.charAt(i);
      if (quoted) {
        i += c == '\\' ? 1 : 0;
        quoted = c != '"';
      } else if (c == '"') {
        quoted = true;
      } else if (c == '(' || c == '[' || c == '{') {
        depth++;
      } else if (c == ')' || c == ']' || c == '}') {
        depth--;
        if (depth == 0) {
          parts.add(source.substring(start, i));
        }
      } else if (c == separator && depth == 1) {
        parts.add(source.substring(start, i));
        start = i + 1;
      }
    }
    return parts;
  }

  String page() {
    StringBuilder page = new StringBuilder("""
      = Runbook

      This page is generated from `docs/messages.txt`. It explains each log message at level WARNING and SEVERE, and the alert rules of
      `docker/metrics/alerts.yml`. In a message, an ellipsis stands for varying text. The logger is the class that logs the message:
      xref:observing.adoc#the-log[the log].

      == Alerts

      These Prometheus rules need the meters of xref:observing.adoc#metrics[`RdmaMeters`]. Add a rule for Prometheus's own metric `up`,
      and one for the expected number of nodes, such as `min(vertx_rdma_members) < 3`.

      """);
    for (Row alert : alerts()) {
      page.append("=== ").append(alert.source).append("\n\n[source,promql]\n----\n").append(alert.text).append("\n----\n\n")
        .append(alert.field("meaning")).append(" _Urgency: ").append(alert.field("urgency")).append("._ ").append(alert.field("remedy"))
        .append("\n\n");
    }
    for (String urgency : List.of("now", "soon", "watch")) {
      page.append("== Messages: ").append(urgency).append("\n\n").append(URGENCIES.get(urgency))
        .append("\n\n[%header,cols=\"4,1,4,4\"]\n|===\n| message | logger | meaning | remedy\n");
      rows.stream().filter(row -> !row.isAlert() && row.field("urgency").equals(urgency)).forEach(row -> page.append("\n| `+")
        .append(row.shown()).append("+` | ").append(row.kind.equals("SEVERE") ? "SEVERE " : "").append('`').append(row.source)
        .append("` | ").append(row.field("meaning")).append(" | ").append(row.field("remedy")).append('\n'));
      page.append("|===\n\n");
    }
    return page.toString().strip() + '\n';
  }

  String rules() {
    StringBuilder text = new StringBuilder("""
      # Alert rules for Prometheus, generated from docs/messages.txt. docs/runbook.adoc explains them.
      groups:
        - name: vertx-rdma
          rules:
      """);
    for (Row alert : alerts()) {
      text.append("      - alert: ").append(alert.source).append("\n        expr: ").append(quoted(alert.text)).append("\n        for: ")
        .append(alert.field("for")).append("\n        labels:\n          urgency: ").append(alert.field("urgency"))
        .append("\n        annotations:\n          summary: ").append(quoted(plain(alert.field("meaning")))).append("\n          runbook: ")
        .append(quoted(plain(alert.field("remedy")))).append('\n');
    }
    return text.toString();
  }

  private static String plain(String asciiDoc) {
    return asciiDoc.replaceAll("xref:\\S+?\\[([^]]*)]", "$1").replace("`", "");
  }

  private static String quoted(String text) {
    return '\'' + text.replace("'", "''") + '\'';
  }
}
