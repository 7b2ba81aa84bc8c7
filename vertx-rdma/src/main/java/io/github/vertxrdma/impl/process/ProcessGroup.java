package io.github.vertxrdma.impl.process;

import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Default group of a process: the name of its main class. For a jar this is its {@code Start-Class} or {@code Main-Class}. If the main
 * class is a generic launcher, the path of the jar or of the working directory is added. Each test process has its own group.
 */
public final class ProcessGroup {
  private static final String UNKNOWN = "default";
  private static final int LONGEST = 64;
  /** Launchers whose first argument names the application. */
  private static final List<String> LAUNCHERS = List.of("com.sun.tools.javac.launcher.", "io.vertx.launcher.", "io.vertx.core.Launcher");
  /** Launchers whose arguments do not name the application, so that a path is added. */
  private static final List<String> OF_ANY = List.of("io.quarkus.bootstrap.", "org.springframework.boot.loader.",
    "org.codehaus.plexus.classworlds.launcher.", "org.apache.maven.", "org.gradle.launcher.");
  private static final Pattern TESTS = Pattern.compile("junit|surefire|testng|GradleWorkerMain", Pattern.CASE_INSENSITIVE);
  private static final Pattern JAR = Pattern.compile("(?:.*[/\\\\])?(.+?)(?:-\\d.*)?\\.jar");
  private static final Pattern SOURCE = Pattern.compile("(?:.*[/\\\\])?(.+)\\.java");

  private static final String OWN = of(words(System.getProperty("sun.java.command", ""), arguments()), ProcessHandle.current().pid());

  private ProcessGroup() {
  }

  public static String own() {
    return OWN;
  }

  /** Returns the command line of this process, separated into arguments. Empty without /proc. */
  private static List<String> arguments() {
    try {
      return List.of(Files.readString(Path.of("/proc/self/cmdline"), Charset.defaultCharset()).split("\0"));
    } catch (IOException e) {
      return List.of();
    }
  }

  /** Returns the main class or jar in {@code command}, then its arguments, separated as in the command line {@code arguments}. */
  static List<String> words(String command, List<String> arguments) {
    String stripped = command.strip();
    Optional<String> main = arguments.stream().filter(each -> !each.isEmpty() && (stripped + ' ').startsWith(each + ' '))
      .max(Comparator.comparingInt(String::length));
    return main.map(each -> arguments.subList(arguments.indexOf(each), arguments.size()))
      .orElseGet(() -> Arrays.asList(stripped.split("\\s+")));
  }

  /** @param words main class, module/class or jar, and its arguments */
  static String of(List<String> words, long pid) {
    String first = words.getFirst();
    boolean isJar = first.endsWith(".jar");
    String main = first.substring(first.indexOf('/') <= 0 || isJar ? 0 : first.indexOf('/') + 1);
    if (TESTS.matcher(isJar ? String.valueOf(Path.of(first).getFileName()) : main).find()) {
      return "tests-" + pid;
    }
    String of = isJar ? mainClass(Path.of(first)).orElse(main) : main;
    if (OF_ANY.stream().anyMatch(of::startsWith)) {
      of = of.substring(of.lastIndexOf('.') + 1) + '-' + real(Path.of(isJar ? first : ""));
    } else if (LAUNCHERS.stream().anyMatch(of::startsWith)) {
      of = words.stream().skip(1).filter(word -> !word.startsWith("-") && !word.equals("run")).findFirst().orElse(of);
      Matcher source = SOURCE.matcher(of);
      of = source.matches() ? source.group(1) : of;
    } else {
      Matcher jar = JAR.matcher(of);
      of = jar.matches() ? jar.group(1) : of;
    }
    String name = of.replaceAll("[^A-Za-z0-9._-]", "_");
    name = name.substring(Math.max(0, name.length() - LONGEST)).replaceFirst("^\\.+", "");
    return name.isEmpty() ? UNKNOWN : name;
  }

  private static Optional<String> mainClass(Path jar) {
    try (JarFile opened = new JarFile(jar.toFile())) {
      Manifest manifest = opened.getManifest();
      if (manifest == null) {
        return Optional.empty();
      }
      Attributes all = manifest.getMainAttributes();
      String started = all.getValue("Start-Class");
      return Optional.ofNullable(started == null ? all.getValue(Attributes.Name.MAIN_CLASS) : started).map(String::strip);
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  private static String real(Path path) {
    try {
      return path.toRealPath().toString();
    } catch (IOException e) {
      return path.toAbsolutePath().toString();
    }
  }
}
