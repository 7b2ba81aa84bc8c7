package io.github.vertxrdma.cli;

import static io.github.vertxrdma.cli.ProjectFiles.PROJECT;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** The launcher script in a small project, with a JDK and a Maven that only print their arguments. */
abstract class LauncherFixture {
  static final String HELP = "tools/rdma/help";
  static final String COMMANDS = "tools/rdma/src/main/java/io/github/vertxrdma/commands";

  @TempDir
  Path temp;
  Path project;
  Path bin;
  final Map<String, String> environment = new HashMap<>();

  record Ended(int status, String output) {
    boolean says(String words) {
      return output.contains(words);
    }
  }

  @BeforeEach
  void makeUpProject() throws IOException {
    project = Files.createDirectories(temp.resolve("project"));
    bin = Files.createDirectories(temp.resolve("bin"));
    Files.copy(PROJECT.resolve("rdma"), project.resolve("rdma"));
    executable(project.resolve("rdma"), Files.readString(PROJECT.resolve("rdma")));
    executable(project.resolve("tests/run"), Files.readString(PROJECT.resolve("tests/run")));
    for (String folder : List.of(HELP, "tools/rdma/launcher")) {
      Files.createDirectories(project.resolve(folder));
      try (Stream<Path> files = Files.list(PROJECT.resolve(folder))) {
        for (Path file : files.toList()) {
          Files.copy(file, project.resolve(folder).resolve(file.getFileName()));
        }
      }
    }
    Files.createDirectories(project.resolve(COMMANDS));
    Files.writeString(project.resolve("tools/rdma/pom.xml"), "<picocli.version>1</picocli.version>");
    Files.writeString(project.resolve("pom.xml"), "<project><version>7</version></project>");
    environment.put("HOME", temp.resolve("home").toString());
    environment.put("PATH", bin + ":/usr/bin:/bin");
    for (String library : List.of("libfabric.so.1", "libibverbs.so.1", "librdmacm.so.1")) {
      Files.writeString(Files.createDirectories(temp.resolve("lib")).resolve(library), "");
    }
    environment.put("LD_LIBRARY_PATH", temp.resolve("lib").toString());
    environment.put("JAVA_HOME", jdk("jdk-25", "25.0.1").toString());
    maven("3.8.1");
    executable(bin.resolve("apt-get"), "#!/bin/sh\nexit 0");
    executable(bin.resolve("npm"), "#!/bin/sh\nexit 0");
  }

  Path jdk(String name, String version) throws IOException {
    Path home = temp.resolve(name);
    executable(home.resolve("bin/java"), "#!/bin/sh\necho \"java of " + name + ": $*\"");
    executable(home.resolve("bin/javac"), "#!/bin/sh");
    Files.writeString(home.resolve("release"), "IMPLEMENTOR=\"x\"\nJAVA_VERSION=\"" + version + "\"\n");
    return home;
  }

  void withRealCommands() throws IOException {
    executable(temp.resolve("jdk-25/bin/java"), """
      #!/bin/sh
      case "$*" in *io.github.vertxrdma.commands.Commands*)
        while [ "$1" != io.github.vertxrdma.commands.Commands ]; do shift; done
        exec "%s/bin/java" -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -cp "%s" "$@"
      esac
      echo "java of jdk-25: $*"
      """.formatted(System.getProperty("java.home"), System.getProperty("java.class.path")));
  }

  void replace(String file, String words, String by) throws IOException {
    String script = Files.readString(project.resolve(file));
    assertTrue(script.contains(words), () -> "this is elsewhere now: " + words);
    Files.writeString(project.resolve(file), script.replace(words, by));
  }

  void hideLibraries() throws IOException {
    environment.remove("LD_LIBRARY_PATH");
    replace("tools/rdma/launcher/packages", "/opt/amazon/efa/lib /opt/amazon/efa/lib64 /usr/local/lib /usr/local/lib64 \\\n"
      + "    /usr/lib/*-linux-* /lib/*-linux-* /usr/lib64 /lib64 /usr/lib /lib", "/nowhere");
    replace("tools/rdma/launcher/packages", "/sys/class/infiniband", temp + "/infiniband");
  }

  /** A Maven that makes a jar of each module and appends its arguments to the file {@code calls}. */
  void maven(String version) throws IOException {
    executable(bin.resolve("mvn"), """
      #!/bin/bash
      [ "$1" != -v ] || { echo "Apache Maven %s"; exit; }
      echo "mvn $*" >> "%s/calls"
      [ ! -x "%s/mvn.before" ] || "%s/mvn.before" "$@" || exit
      case " $* " in *" package "*)
        echo "[INFO] Building vertx-rdma: demos 1   [1/1]"
        for m in tools/rdma demos tools/perf; do
          mkdir -p "%s/$m/target/lib"; echo > "%s/$m/target/x.jar"; echo > "%s/$m/target/lib/d.jar"
        done
      esac
      """.formatted(version, temp, temp, temp, project, project, project));
  }

  static void executable(Path file, String script) throws IOException {
    Files.createDirectories(file.getParent());
    Files.writeString(file, script);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  ProcessBuilder launcher(String... arguments) {
    List<String> command = new ArrayList<>(List.of(project.resolve("rdma").toString()));
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().clear();
    builder.environment().putAll(environment);
    return builder;
  }

  static Ended end(Process process) throws Exception {
    process.getOutputStream().close();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertTrue(process.waitFor(60, TimeUnit.SECONDS));
    return new Ended(process.exitValue(), output);
  }

  Ended rdma(String... arguments) throws Exception {
    return end(launcher(arguments).start());
  }

  List<String> mavenCalls() throws IOException {
    return Files.exists(temp.resolve("calls")) ? Files.readAllLines(temp.resolve("calls")) : List.of();
  }

  static boolean isRootOnDebian() {
    return System.getProperty("user.name").equals("root") && Files.exists(Path.of("/etc/debian_version"));
  }

  final Ended withoutSystemJdks(String... arguments) throws Exception {
    String hide = "for folder in /usr/lib/jvm /usr/lib64/jvm /usr/java /usr/local /opt; do\n"
      + "[ ! -d $folder ] || mount -t tmpfs none $folder || exit; done";
    Process test = new ProcessBuilder("unshare", "-m", "sh", "-c", hide).redirectErrorStream(true).start();
    test.getInputStream().readAllBytes();
    Assumptions.assumeTrue(test.waitFor() == 0, "this machine does not let a test hide its JDKs (unshare -m)");
    List<String> command = new ArrayList<>(List.of("unshare", "-m", "sh", "-c", hide + "\nexec \"$@\"", "sh", project.resolve("rdma")
      .toString()));
    command.addAll(List.of(arguments));
    ProcessBuilder builder = launcher().command(command);
    return end(builder.start());
  }
}
