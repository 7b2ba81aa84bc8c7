package io.github.vertxrdma.cli;

import static io.github.vertxrdma.cli.ProjectFiles.PROJECT;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The reference of options, made from the sources of the option classes. */
final class OptionsPage {
  private static final Pattern GETTER = Pattern.compile("/\\*\\*((?:(?!\\*/).)*)\\*/\\s*public ([\\w<>.]+) (?:get|is)(\\w+)\\(\\) \\{",
    Pattern.DOTALL);
  private static final Pattern PROPERTY = Pattern.compile(
    "/\\*\\*((?:(?!\\*/).)*)\\*/\\s*(?:public |private )?static final String \\w+ = "
      + "\"((?:vertx\\.rdma|VERTX_RDMA)[\\w.-]*)\";",
    Pattern.DOTALL);

  private static final Set<Path> NOT_OF_THE_PRODUCT = Set.of(Path.of("tools/perf"), Path.of("demos"), Path.of("testing"), Path.of("tests"));

  List<Path> deaf() throws IOException {
    List<Path> deaf = new ArrayList<>();
    for (Path file : sources("Options.java")) {
      String source = Files.readString(file);
      String name = file.getFileName().toString().replace(".java", "");
      if (source.contains("@JsonGen") && !source.contains(name + "Converter.fromJson(JsonKeys.known(" + name + ".class, json), this);")) {
        deaf.add(file);
      }
    }
    return deaf;
  }

  String text() throws IOException {
    StringBuilder text = new StringBuilder("""
      = Options

      This page is generated from the sources of the option classes. The JSON form has the same names. It gives times in milliseconds, and
      rejects unknown names. xref:application.adoc#options[Options] says where a process reads its JSON.

      """);
    for (Path file : sources("Options.java")) {
      String source = Files.readString(file);
      if (source.contains("@DataObject")) {
        text.append(table(file.getFileName().toString().replace(".java", ""), source + besides(file, source)));
      }
    }
    text.append("== System properties and environment variables\n\n[%header,cols=\"1,2\"]\n|===\n| name | meaning\n");
    TreeMap<String, String> properties = new TreeMap<>();
    properties.put("vertx.rdma", "System property: with `off`, the event bus, servers and clients of Vert.x work as without this library.");
    properties.put("VERTX_RDMA_LIBFABRIC",
      "Environment variable, and system property `vertx.rdma.libfabric`: path of the libfabric library to use.");
    properties.put("VERTX_RDMA_RDMACM",
      "Environment variable, and system property `vertx.rdma.verbs.librdmacm`: path of the librdmacm library to use.");
    properties.put("VERTX_RDMA_VERBS",
      "Environment variable, and system property `vertx.rdma.verbs.libibverbs`: path of the libibverbs library to use.");
    for (Path file : sources(".java")) {
      Matcher property = PROPERTY.matcher(Files.readString(file));
      while (property.find()) {
        properties.put(property.group(2), words(property.group(1)));
      }
    }
    properties.forEach((name, meaning) -> text.append("\n| `").append(name).append("`\n").append(cell(meaning)));
    return text.append("|===\n").toString();
  }

  private static String besides(Path file, String source) throws IOException {
    StringBuilder constants = new StringBuilder();
    for (MatchResult other : Pattern.compile("private \\w+ \\w+ = (\\w+)\\.([A-Z_]+);").matcher(source).results().toList()) {
      Path there = file.resolveSibling(other.group(1) + ".java");
      Matcher constant = Pattern.compile("static final (\\w+) " + other.group(2) + " = ([^;]+;)").matcher(
        Files.exists(there) ? Files.readString(there) : "");
      if (constant.find()) {
        constants.append("static final ").append(constant.group(1)).append(' ').append(other.group(1)).append('.').append(other.group(2))
          .append(" = ").append(constant.group(2)).append('\n');
      }
    }
    return constants.toString();
  }

  private List<Path> sources(String ending) throws IOException {
    return ProjectFiles.all().stream().filter(file -> file.toString().contains("/src/main/java")
      && NOT_OF_THE_PRODUCT.stream().noneMatch(PROJECT.relativize(file)::startsWith) && file.toString().endsWith(ending))
      .sorted((a, b) -> order(a).compareTo(order(b))).toList();
  }

  private String order(Path file) {
    String path = PROJECT.relativize(file).toString();
    return (path.startsWith("vertx-rdma/") ? "0" : "1") + (path.endsWith("RdmaOptions.java") ? "0" : "1") + path;
  }

  private static String table(String name, String source) {
    StringBuilder text = new StringBuilder("== " + name + "\n\n");
    Matcher doc = Pattern.compile("/\\*\\*((?:(?!\\*/).)*)\\*/\\s*@DataObject", Pattern.DOTALL).matcher(source);
    text.append(doc.find() ? wrap(words(doc.group(1))) + "\n" : "")
      .append("[%header,cols=\"3,2,1,7\"]\n|===\n| option | type | default | meaning\n");
    List<String> rows = new ArrayList<>();
    Matcher getter = GETTER.matcher(source);
    while (getter.find()) {
      String property = Character.toLowerCase(getter.group(3).charAt(0)) + getter.group(3).substring(1);
      rows.add("\n| `" + property + "` | " + getter.group(2) + " | " + byDefault(property, getter.group(2), source) + "\n"
        + cell(words(getter.group(1))));
    }
    rows.forEach(text::append);
    return text.append("|===\n\n").toString();
  }

  private static String cell(String words) {
    return wrap("| " + words.replace("|", "\\|"));
  }

  private static String wrap(String words) {
    StringBuilder text = new StringBuilder();
    int column = 0;
    for (String word : words.split(" ")) {
      if (column > 0) {
        boolean fits = column + 1 + word.length() <= 140;
        text.append(fits ? ' ' : '\n');
        column = fits ? column + 1 : 0;
      }
      text.append(word);
      column += word.length();
    }
    return text.append('\n').toString();
  }

  private static String byDefault(String property, String type, String source) {
    Matcher field = Pattern.compile("private [\\w<>.]+ " + property + "(?: = ([^;]+))?;").matcher(source);
    if (!field.find()) {
      return "";
    }
    String value = "Duration.ZERO".equals(field.group(1)) ? null : field.group(1);
    if (value == null) {
      return Set.of("int", "long", "Duration").contains(type) ? "0" : type.equals("boolean") ? "false" : "none";
    }
    Matcher constant = Pattern.compile("static final \\w+ " + Pattern.quote(value) + " = ([^;]+);").matcher(source);
    if (constant.find()) {
      return byConstant(constant.group(1), source);
    }
    return value.startsWith("new ") || value.contains("noneOf") || value.contains(".of()")
      || value.equals("Buffer.buffer()") || value.equals("\"\"")
        ? "empty" : literal(value);
  }

  private static String byConstant(String value, String source) {
    Matcher shift = Pattern.compile("(\\d+)L? << (\\d+)").matcher(value);
    if (shift.matches()) {
      return Sizes.format(Long.parseLong(shift.group(1)) << Integer.parseInt(shift.group(2)));
    }
    Matcher other = Pattern.compile("static final \\w+ " + Pattern.quote(value) + " = ([^;]+);").matcher(source);
    return other.find() ? byConstant(other.group(1), source) : literal(value);
  }

  /** Formats times with units, numbers without underscores, texts without quotes, constants without classes. */
  private static String literal(String value) {
    Matcher time = Pattern.compile("Duration\\.of(Seconds|Millis)\\(([\\d_]+)\\)").matcher(value);
    if (time.matches()) {
      return time.group(2).replace("_", "") + (time.group(1).equals("Seconds") ? " s" : " ms");
    }
    return "`" + value.replaceAll("(?<=\\d)_(?=\\d)", "").replace("\"", "").replaceFirst("^\\w+\\.(?=[A-Z_]+$)", "") + "`";
  }

  private static String words(String javadoc) {
    Matcher getter = Pattern.compile("\\{@link #(?:get|is)(\\w)(\\w*)(?: [^}]*)?}").matcher(javadoc);
    String named = getter.replaceAll(link -> "`" + link.group(1).toLowerCase(Locale.ROOT) + link.group(2) + "`");
    String text = named.replaceAll("\\s*\\n\\s*\\* ?", " ").replaceAll("\\{@code ([^}]*)}", "`$1`")
      .replaceAll("\\{@link(?:plain)? (?:[a-z]\\w*\\.)*#?([^ }]*)( [^}]*)?}", "`$1`").replaceAll("\\{@value #?([^}]*)}", "`$1`")
      .replaceAll("<[^>]*>", "").replaceAll("@(return|param|throws)", "").replace('#', '.').strip()
      .replaceFirst("^Returns whether", "Whether").replaceFirst("^Returns the", "The");
    return Pattern.compile("`([^`]*)`(?=(\\w?))").matcher(text)
      .replaceAll(code -> Matcher.quoteReplacement(code(code.group(1), code.group(2))));
  }

  /** Returns text as code: literal if AsciiDoc would find marks in it, and doubly marked before a letter. */
  private static String code(String text, String next) {
    String literal = text.matches(".*(\\*|\\b_|_\\b| _).*") ? "+" + text + "+" : text;
    return next.isEmpty() ? "`" + literal + "`" : "``" + literal + "``";
  }
}
