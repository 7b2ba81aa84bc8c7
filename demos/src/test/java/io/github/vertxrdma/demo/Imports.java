package io.github.vertxrdma.demo;

import java.io.IOException;
import java.lang.reflect.Modifier;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Adds the imports that an editor would: for each name the likeliest class that the project can see. */
final class Imports implements AutoCloseable {
  /** Patterns of packages, the likeliest first. Names of java.lang need no import. */
  private static final List<Pattern> LIKELY = Stream
    .of("java\\.lang", "example\\..*", "io\\.github\\.vertxrdma", "io\\.github\\.vertxrdma\\..*",
      "io\\.vertx\\.core", "io\\.vertx\\.core\\..*", "org\\.springframework\\.context\\..*",
      "java\\.util(\\.concurrent|\\.function)?", "java\\..*", "io\\.vertx\\..*",
      "io\\.micrometer\\.core\\..*", "org\\.junit\\.jupiter\\.api(\\.extension)?", ".*")
    .map(Pattern::compile).toList();

  private final Map<String, Collection<String>> packagesOf = new HashMap<>();
  private final URLClassLoader loader;

  Imports(Path jars, Path classes) throws Exception {
    List<URL> path = new ArrayList<>(List.of(classes.toUri().toURL()));
    add(FileSystems.getFileSystem(URI.create("jrt:/")).getPath("/modules/java.base/java"), 2);
    add(classes, 0);
    try (Stream<Path> files = Files.list(jars)) {
      for (Path jar : files.filter(each -> each.toString().endsWith(".jar")).toList()) {
        path.add(jar.toUri().toURL());
        try (FileSystem inside = FileSystems.newFileSystem(jar)) {
          add(inside.getPath("/"), 0);
        }
      }
    }
    loader = new URLClassLoader(path.toArray(URL[]::new), null);
  }

  @Override
  public void close() throws IOException {
    loader.close();
  }

  private boolean isPublic(String name) {
    try {
      return Modifier.isPublic(Class.forName(name, false, loader).getModifiers());
    } catch (ClassNotFoundException | LinkageError e) {
      return false;
    }
  }

  /** @param above number of leading names of a class file's path that belong to no package */
  private void add(Path root, int above) throws Exception {
    if (!Files.isDirectory(root)) {
      return;
    }
    try (Stream<Path> files = Files.walk(root)) {
      for (Path file : files.filter(each -> each.toString().endsWith(".class") && !each.toString().contains("$")).toList()) {
        Path path = above == 0 ? root.relativize(file) : file.subpath(above, file.getNameCount());
        if (path.getParent() != null) {
          String in = path.getParent().toString().replace('/', '.');
          if (!in.matches(".*\\b(impl|internal|shaded)\\b.*|META-INF.*")) {
            packagesOf.computeIfAbsent(path.getFileName().toString().replace(".class", ""), name -> new TreeSet<>()).add(in);
          }
        }
      }
    }
  }

  /**
   * Returns the imports of a file.
   *
   * @param page its packages are the likeliest
   * @param own classes of the same page
   */
  String of(String code, String page, Collection<String> own) {
    String words = code.replaceAll("(?s)/\\*.*?\\*/|//.*?\n|\"(?:\\\\.|[^\"])*\"", " ").replaceAll("import .*;", " ");
    StringBuilder imports = new StringBuilder(words.matches("(?s).*\\bassert[A-Z]\\w*\\(.*")
      ? "import static org.junit.jupiter.api.Assertions.*;\n" : "");
    String known = code.lines().filter(line -> line.startsWith("import ")).collect(Collectors.joining("\n")) + '\n'
      + Pattern.compile("\\b(?:class|record|interface|enum) (\\w+)").matcher(words).results().map(each -> '.' + each.group(1) + ';')
        .collect(Collectors.joining());
    Pattern.compile("(?<![.\\w])[A-Z]\\w*").matcher(words).results().map(each -> each.group()).distinct().sorted()
      .filter(name -> packagesOf.containsKey(name) && !own.contains(name) && !known.contains('.' + name + ';'))
      .flatMap(name -> packagesOf.get(name).stream().sorted(Comparator.comparingInt(in -> rank(in, page))).map(in -> in + '.' + name)
        .filter(this::isPublic).limit(1))
      .filter(name -> !name.matches("java\\.lang\\.\\w+"))
      .forEach(name -> imports.append("import ").append(name).append(";\n"));
    return imports.toString();
  }

  private static int rank(String in, String page) {
    if (page.contains("`" + in + "`")) {
      return -1;
    }
    for (int i = 0;; i++) {
      if (LIKELY.get(i).matcher(in).matches()) {
        return i;
      }
    }
  }
}
