package io.github.vertxrdma.impl.process;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Default group of a process: the name of the main class, or of the jar without its version. Each test process has a separate group. */
public final class ProcessGroup {
  private static final String UNKNOWN = "default";
  private static final int LONGEST = 64;
  /** Main classes whose first argument is the class, source file or verticle to run. */
  private static final List<String> LAUNCHERS = List.of("com.sun.tools.javac.launcher.", "io.vertx.launcher.", "io.vertx.core.Launcher");
  private static final Pattern TESTS = Pattern.compile("junit|surefire|testng|GradleWorkerMain", Pattern.CASE_INSENSITIVE);
  private static final Pattern JAR = Pattern.compile("(?:.*[/\\\\])?(.+?)(?:-\\d.*)?\\.jar");
  private static final Pattern SOURCE = Pattern.compile("(?:.*[/\\\\])?(.+)\\.java");

  private ProcessGroup() {
  }

  public static String own() {
    return of(System.getProperty("sun.java.command", ""), ProcessHandle.current().pid());
  }

  /** @param command main class, module and main class, or jar, with arguments */
  static String of(String command, long pid) {
    String[] words = command.strip().split("\\s+");
    String main = words[0].substring(words[0].indexOf('/') <= 0 || words[0].endsWith(".jar") ? 0 : words[0].indexOf('/') + 1);
    if (TESTS.matcher(main).find()) {
      return "tests-" + pid;
    }
    if (LAUNCHERS.stream().anyMatch(main::startsWith)) {
      Optional<String> started = Arrays.stream(words).skip(1).filter(word -> !word.startsWith("-") && !word.equals("run")).findFirst();
      main = started.orElse(main);
    }
    Matcher jar = JAR.matcher(main);
    Matcher source = SOURCE.matcher(main);
    String name = (jar.matches() ? jar.group(1) : source.matches() ? source.group(1) : main).replaceAll("[^A-Za-z0-9._-]", "_");
    name = name.substring(Math.max(0, name.length() - LONGEST)).replaceFirst("^\\.+", "");
    return name.isEmpty() ? UNKNOWN : name;
  }
}
