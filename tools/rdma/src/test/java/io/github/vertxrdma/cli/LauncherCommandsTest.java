package io.github.vertxrdma.cli;

import static io.github.vertxrdma.cli.ProjectFiles.PROJECT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class LauncherCommandsTest extends LauncherFixture {

  @Test
  void everyCommandHasHelpThatNeedsNoJdk() throws Exception {
    environment.put("JAVA_HOME", "/nowhere");
    try (Stream<Path> files = Files.list(PROJECT.resolve(HELP))) {
      for (Path file : files.toList()) {
        String command = file.getFileName().toString().replace(".txt", "").replace("rdma", "");
        String[] line = Stream.concat(Stream.of(command.split("-")).filter(word -> !word.isEmpty()), Stream.of("--help"))
          .toArray(String[]::new);
        assertEquals(new Ended(0, Files.readString(file)), rdma(line));
      }
    }
  }

  @Test
  void anUnknownCommandIsRefused() throws Exception {
    withRealCommands();
    Ended ended = rdma("infoo");
    assertEquals(2, ended.status());
    assertTrue(ended.output().endsWith("\nrdma: there is no command 'infoo'; did you mean 'info'?; see ./rdma --help\n"), ended.output());
    assertEquals(new Ended(2, "rdma: there is no command 'infoo'; did you mean 'info'?; see ./rdma --help\n"), rdma("help", "infoo"));
    assertEquals(rdma("ping", "--help"), rdma("help", "ping"));
    assertEquals(rdma("--help"), rdma("help"));
  }

  @Test
  void theVersionIsTheProjects() throws Exception {
    assertEquals(new Ended(0, "vertx-rdma 7\n"), rdma("--version"));
  }

  @Test
  @Tag("full")
  void invalidCommandLineIsRefusedBeforeOtherBuilds() throws Exception {
    withRealCommands();
    for (String line : List.of("perf", "perf --fabric tcp", "perf swim --runs 1", "perf latency --size 64q", "info --bogus",
      "ping a --count abc",
      "install here", "docs here", "test --everything")) {
      Ended ended = rdma(line.split(" "));
      assertEquals(2, ended.status(), ended.output());
      assertTrue(ended.output().endsWith(" --help\n"), ended.output());
    }
    assertEquals(1, mavenCalls().size(), "of the command line alone: " + mavenCalls());
    assertTrue(rdma("perf", "start", "--json").says("building the measurements"));
  }

  @Test
  void completionScriptNeedsNoBuildOfOtherModules() throws Exception {
    withRealCommands();
    Ended ended = rdma("completion");
    assertTrue(ended.status() == 0 && ended.says("complete -F _complete_rdma"), ended.output());
    assertEquals(1, mavenCalls().size(), mavenCalls().toString());
  }

  @Test
  void argumentsAndTheStatusOfTheCommandPassThrough() throws Exception {
    executable(temp.resolve("jdk-25/bin/java"), "#!/bin/bash\nprintf '<%s>' \"${@: -3}\"; exit 7");
    Ended ended = rdma("demo", "a file", "--fabric", "tcp", "--verbose");
    assertEquals(7, ended.status());
    assertTrue(ended.says("<a file><--fabric><tcp>"), ended.output());
    assertTrue(ended.says("+ ") && ended.says("io.github.vertxrdma.demo.Main demo a\\ file"), ended.output());
    ended = rdma("demo", "--", "--verbose", "--", "-h");
    assertEquals(new Ended(7, "<--verbose><--><-h>"), ended, "what follows -- is the command's own");
  }
}
