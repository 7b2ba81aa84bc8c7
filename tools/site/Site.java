import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.logging.LogManager;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.asciidoctor.Asciidoctor;
import org.asciidoctor.Attributes;
import org.asciidoctor.Options;
import org.asciidoctor.SafeMode;
import org.asciidoctor.ast.Cursor;
import org.asciidoctor.log.LogRecord;
import org.asciidoctor.log.Severity;

/**
 * Makes the site of the docs, with the index as navigation. A warning of Asciidoctor, a page missing in the index, a dead link and leftover
 * markup are errors. The launcher's docs command runs this file.
 */
public final class Site {
  private static final String INDEX = "index.html";
  /** Sections and their links. */
  private static final Pattern ENTRY = Pattern.compile("<h2 id=\"[^\"]*\">(.*?)</h2>|<a href=\"([^\"#]*)\">(.*?)</a>");
  private static final Pattern SECTION = Pattern.compile("<h2 id=\"([^\"]*)\">(.*?)</h2>");
  private static final Pattern LINK = Pattern.compile(" (?:href|src)=\"([^\"]*)\"");
  /** Markup that Asciidoctor did not recognize. */
  private static final Pattern MARKUP = Pattern.compile("`|xref:|include::|link:|&lt;&lt;|\\|===|\\*\\*|\\*[A-Z][^*<>]*\\*");

  private static final Pattern TABLE = Pattern.compile("(?s)<table class=\"(.*?)</table>");
  private static final Pattern HEAD = Pattern.compile("(?s)<th [^>]*>(.*?)</th>");
  private static final Pattern CODE = Pattern.compile("(?s)<code>(.*?)</code>");

  private final Path docs;
  private final Path site;
  private final String version;
  private final Map<String, String> pages = new LinkedHashMap<>();
  private final List<String> wrong = new ArrayList<>();

  private Site(Path docs, Path site, String version) {
    this.docs = docs;
    this.site = site;
    this.version = version;
  }

  /** @param arguments the docs folder, the folder to write to, the version to name */
  public static void main(String... arguments) throws IOException {
    Site site = new Site(Path.of(arguments[0]), Path.of(arguments[1]), arguments[2]);
    site.convert();
    site.write();
    site.check();
    site.wrong.forEach(each -> System.err.println("rdma docs: " + each));
    System.exit(site.wrong.isEmpty() ? 0 : 1);
  }

  private void convert() throws IOException {
    // Messages are printed once, at the end.
    LogManager.getLogManager().reset();
    Attributes attributes = Attributes.builder().showTitle(true).sectionNumbers(false)
      // Anchors have the same names as on GitHub, so that links work there too.
      .attribute("idprefix", "").attribute("idseparator", "-").attribute("sectlinks", "")
      .attribute("source-highlighter", "rouge").attribute("rouge-css", "class").build();
    Options options = Options.builder().safe(SafeMode.UNSAFE).baseDir(docs.toFile()).standalone(false).toFile(false)
      .attributes(attributes).build();
    try (Asciidoctor asciidoctor = Asciidoctor.Factory.create(); Stream<Path> files = Files.list(docs)) {
      asciidoctor.registerLogHandler(this::log);
      for (Path file : files.filter(each -> each.toString().endsWith(".adoc")).sorted().toList()) {
        String html = asciidoctor.convertFile(file.toFile(), options);
        pages.put(file.getFileName().toString().replace(".adoc", ".html"),
          TABLE.matcher(html).replaceAll(table -> Matcher.quoteReplacement(stacked(table.group()))));
      }
    }
  }

  /** Returns a table of more than two columns with labels in its cells, which a phone shows below each other. */
  private static String stacked(String table) {
    int body = Math.max(0, table.indexOf("<tbody>"));
    List<String> labels = HEAD.matcher(table.substring(0, body)).results().map(head -> text(head.group(1)).strip()).toList();
    if (labels.size() <= 2) {
      return table;
    }
    StringBuilder result = new StringBuilder(table.substring(0, body).replace("<table class=\"", "<table class=\"stacked "));
    String[] cells = table.substring(body).split("(?=<td )", -1);
    result.append(cells[0]);
    for (int i = 1; i < cells.length; i++) {
      result.append("<td data-label=\"").append(labels.get((i - 1) % labels.size()).replace("\"", "&quot;")).append('"')
        .append(cells[i].substring(3));
    }
    return result.toString();
  }

  private void log(LogRecord record) {
    if (record.getSeverity().compareTo(Severity.WARN) >= 0) {
      Cursor at = record.getCursor();
      wrong.add((at == null ? "" : at.getPath() + ":" + at.getLineNumber() + ": ") + record.getMessage());
    }
  }

  private void write() throws IOException {
    Files.createDirectories(site);
    try (Stream<Path> old = Files.list(site)) {
      for (Path file : old.filter(each -> each.toString().endsWith(".html")).toList()) {
        Files.delete(file);
      }
    }
    for (String file : List.of("style.css", "site.js")) {
      Files.copy(docs.resolveSibling("tools/site").resolve(file), site.resolve(file), StandardCopyOption.REPLACE_EXISTING);
    }
    Files.writeString(site.resolve("sections.js"), sections());
    List<String> order = order();
    for (String name : pages.keySet()) {
      if (!name.equals(INDEX) && !order.contains(name)) {
        wrong.add("index.adoc does not name " + name.replace(".html", ".adoc"));
      }
    }
    for (Map.Entry<String, String> page : pages.entrySet()) {
      Files.writeString(site.resolve(page.getKey()), html(page.getKey(), page.getValue(), order));
    }
    System.out.println(pages.size() + " pages: " + site.resolve(INDEX).toUri());
  }

  private List<String> order() {
    return ENTRY.matcher(pages.get(INDEX)).results().map(entry -> entry.group(2)).filter(pages::containsKey).distinct().toList();
  }

  private String html(String name, String content, List<String> order) {
    String title = name.equals(INDEX) ? "vertx-rdma" : title(name) + " – vertx-rdma";
    return """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="UTF-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>%s</title>
      <link rel="stylesheet" href="style.css">
      <script src="sections.js" defer></script>
      <script src="site.js" defer></script>
      </head>
      <body>
      <header><a href="index.html">vertx-rdma</a> <span>%s</span> <a class="contents" href="#pages">Pages</a></header>
      <main>
      %s
      %s</main>
      <nav id="pages" aria-label="Pages">
      %s</nav>
      </body>
      </html>
      """.formatted(title, version, content, neighbours(name, order), navigation(name));
  }

  /** Returns a script with each section's place, titles and text. */
  private String sections() {
    StringBuilder script = new StringBuilder("const sections = [\n");
    pages.forEach((name, html) -> {
      int from = 0;
      String target = name;
      String title = title(name);
      Matcher section = SECTION.matcher(html);
      for (boolean more = true; more;) {
        more = section.find(from == 0 ? 0 : from);
        script.append("[\"").append(target).append("\", \"").append(literal(title)).append("\", \"")
          .append(literal(text(html.substring(from, more ? section.start() : html.length())))).append("\"],\n");
        if (more) {
          from = section.end();
          target = name + '#' + section.group(1);
          title = title(name) + ": " + text(section.group(2));
        }
      }
    });
    return script.append("];\n").toString();
  }

  /** Returns the text without markup as the inside of a JavaScript string. */
  private static String literal(String text) {
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&").replaceAll("&#\\d+;", "'").replaceAll("\\s+", " ").strip()
      .replace("\\", "\\\\").replace("\"", "\\\"");
  }

  private String title(String name) {
    Matcher title = Pattern.compile("<h1>(.*?)</h1>").matcher(pages.get(name));
    return title.find() ? text(title.group(1)) : name;
  }

  private String neighbours(String name, List<String> order) {
    int at = order.indexOf(name);
    if (at < 0) {
      return "";
    }
    String before = at == 0 ? "" : "<a rel=\"prev\" href=\"%s\">%s</a>\n".formatted(order.get(at - 1), title(order.get(at - 1)));
    String after = at + 1 == order.size() ? ""
      : "<a rel=\"next\" href=\"%s\">%s</a>\n".formatted(order.get(at + 1), title(order.get(at + 1)));
    return "<footer>\n" + before + after + "</footer>\n";
  }

  /** Returns the index, and under the current page its own sections. */
  private String navigation(String name) {
    StringBuilder list = new StringBuilder();
    ENTRY.matcher(pages.get(INDEX)).results().forEach(entry -> {
      if (entry.group(1) != null) {
        list.append(list.isEmpty() ? "" : "</ul>\n").append("<h2>").append(text(entry.group(1))).append("</h2>\n<ul>\n");
      } else if (pages.containsKey(entry.group(2)) && !list.isEmpty()) {
        boolean here = entry.group(2).equals(name);
        list.append("<li><a href=\"").append(entry.group(2)).append(here ? "\" aria-current=\"page\">" : "\">").append(text(entry.group(3)))
          .append("</a>").append(here ? sections(name) : "").append("</li>\n");
      }
    });
    return list.append("</ul>\n").toString();
  }

  private String sections(String name) {
    StringBuilder list = new StringBuilder();
    SECTION.matcher(pages.get(name)).results().forEach(section -> list.append("<li><a href=\"#").append(section.group(1)).append("\">")
      .append(text(section.group(2))).append("</a></li>\n"));
    return list.isEmpty() ? "" : "\n<ul>\n" + list + "</ul>\n";
  }

  private static String text(String html) {
    return html.replaceAll("<[^>]*>", "");
  }

  private void check() throws IOException {
    Map<String, String> written = new LinkedHashMap<>();
    for (String name : pages.keySet()) {
      written.put(name, Files.readString(site.resolve(name)));
    }
    written.forEach((name, html) -> LINK.matcher(html).results().map(link -> link.group(1)).distinct()
      .filter(target -> !target.matches("https?:.*") && !leads(target, name, written))
      .forEach(target -> wrong.add(name + ": the link '" + target + "' leads nowhere")));
    pages.forEach((name, html) -> CODE.matcher(html).results().filter(code -> code.group(1).contains("`"))
      .forEach(code -> wrong.add(name + ": '" + code.group(1) + "' begins and ends as code in wrong places")));
    pages.forEach((name, html) -> MARKUP.matcher(text(html.replaceAll("(?s)<pre.*?</pre>|<code>.*?</code>", ""))).results()
      .forEach(markup -> wrong.add(name + ": '" + markup.group() + "' is left in the text")));
  }

  private boolean leads(String target, String from, Map<String, String> written) {
    String[] parts = target.split("#", 2);
    String page = parts[0].isEmpty() ? from : parts[0];
    return Files.exists(site.resolve(page))
      && (parts.length == 1 || written.containsKey(page) && written.get(page).contains(" id=\"" + parts[1] + "\""));
  }
}
