package io.github.vertxrdma.functions.impl;

import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.functions.FunctionServerOptions;
import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Builds command and environment of a cold worker from those of this JVM, without options that only one process can have. */
final class ColdCommand {
  private static final String SECRET = "VERTX_RDMA_SECRET";
  private static final String SECRET_FILE = "VERTX_RDMA_SECRET_FILE";
  private static final String SECRET_FILE_ARGUMENT = "-Dvertx.rdma.secret.file=";
  private static final List<String> OPTION_VARIABLES = List.of("JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS");
  /** Pattern of one option, with quoted parts. */
  private static final Pattern OPTION = Pattern.compile("(?:[^\\s'\"]|'[^']*'|\"[^\"]*\")+");
  private static final Pattern COLLECTOR = Pattern.compile("-XX:[+-]Use\\w*GC");
  private static final Pattern OF_ONE_PROCESS = Pattern.compile("-agent(lib|path):.*|-javaagent:.*|-Xrun.*|-Xdebug"
    + "|-Dcom\\.sun\\.management\\..*|" + COLLECTOR.pattern() + "|-Xm[nsx].*|-XX:(Initial|Max|Min|SoftMax)(Heap|RAM|New|Old)\\w*=.*"
    + "|-XX:(New|Old)\\w*=.*|-XX:AOT\\w+=.*|-XX:SharedArchiveFile=.*|-XX:ArchiveClassesAtExit=.*|-XX:\\+AutoCreateSharedArchive|-Xlog.*"
    + "|-XX:StartFlightRecording.*|-XX:FlightRecorderOptions.*|-XX:CRaC\\w+=.*|@.*");
  private static final Pattern SHARED = Pattern.compile("--add-.*|--enable-preview|--sun-misc-unsafe-memory-access.*|-Dio\\.netty\\..*"
    + "|-Dvertx\\.rdma\\..*|-Djava\\.io\\.tmpdir=.*|-Djava\\.net\\.prefer.*");
  /** Main classes of Spring Boot's fat jars that can start another class. */
  private static final List<String> SPRING_LAUNCHERS = List.of("org.springframework.boot.loader.launch.PropertiesLauncher",
    "org.springframework.boot.loader.PropertiesLauncher");

  private ColdCommand() {
  }

  /** @param name last argument, which identifies the process */
  static ProcessBuilder process(FunctionServerOptions options, String name) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("--enable-native-access=ALL-UNNAMED");
    List<String> more = options.getColdJvmOptions();
    if (more.stream().noneMatch(option -> COLLECTOR.matcher(option).matches())) {
      // The collector with the least overhead on one core.
      command.add("-XX:+UseSerialGC");
    }
    ManagementFactory.getRuntimeMXBean().getInputArguments().stream().filter(given -> SHARED.matcher(given).matches())
      .forEach(command::add);
    command.addAll(more);
    command.addAll(main(options.getColdClassPath(), ClassLoader.getSystemClassLoader()));
    command.add(name);
    ProcessBuilder process = new ProcessBuilder(command);
    filter(process.environment());
    hideSecret(process.environment(), options.getColdWorkerRdma(), command);
    return process;
  }

  static List<String> main(List<String> given, ClassLoader system) throws IOException {
    String main = ColdWorkerProcess.class.getName();
    if (!given.isEmpty()) {
      return List.of("-cp", String.join(File.pathSeparator, given), main);
    }
    // Adds the module path: modules also work on the class path.
    String path = Stream.of("java.class.path", "jdk.module.path").map(System::getProperty).filter(part -> part != null && !part.isEmpty())
      .collect(Collectors.joining(File.pathSeparator));
    if (has(system, main)) {
      return List.of("-cp", path, main);
    }
    for (String launcher : SPRING_LAUNCHERS) {
      if (has(system, launcher)) {
        return List.of("-Dloader.main=" + main, "-cp", path, launcher);
      }
    }
    ClassLoader own = ColdWorkerProcess.class.getClassLoader();
    throw new IOException(
      "the class path of this process, " + path + ", does not contain " + main + ", because the application has a class loader of "
        + "its own (" + own.getClass().getName() + "). Set the jars of the application with FunctionServerOptions.setColdClassPath");
  }

  private static boolean has(ClassLoader loader, String name) {
    return loader.getResource(name.replace('.', '/') + ".class") != null;
  }

  static void filter(Map<String, String> environment) {
    for (String variable : OPTION_VARIABLES) {
      String given = environment.get(variable);
      if (given == null) {
        continue;
      }
      String left = OPTION.matcher(given).results().map(found -> found.group())
        .filter(option -> !OF_ONE_PROCESS.matcher(option.replaceAll("['\"]", "")).matches()).collect(Collectors.joining(" "));
      if (left.isEmpty()) {
        environment.remove(variable);
      } else {
        environment.put(variable, left);
      }
    }
  }

  /** Removes the cluster secret from the environment if the process reads it from a file. */
  static void hideSecret(Map<String, String> environment, RdmaOptions node, List<String> command) {
    if (node.getSecretFile() != null || !environment.getOrDefault(SECRET_FILE, "").isEmpty()
      || command.stream()
        .anyMatch(argument -> argument.startsWith(SECRET_FILE_ARGUMENT) && argument.length() > SECRET_FILE_ARGUMENT.length())) {
      environment.remove(SECRET);
    }
  }
}
