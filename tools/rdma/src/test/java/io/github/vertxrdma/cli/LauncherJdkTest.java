package io.github.vertxrdma.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class LauncherJdkTest extends LauncherFixture {

  @Test
  void anOlderJavaFirstOnThePathIsPassedBy() throws Exception {
    Path old = jdk("jdk-17", "17.0.9");
    environment.put("PATH", old.resolve("bin") + ":" + jdk("jdk-26", "26-ea").resolve("bin") + ":" + environment.get("PATH"));
    environment.remove("JAVA_HOME");
    Ended ended = rdma("info");
    assertEquals(0, ended.status(), ended.output());
    assertTrue(ended.says("java of jdk-26:"), ended.output());
  }

  @Test
  void anOldJavaHomeIsPassedBy() throws Exception {
    environment.put("JAVA_HOME", jdk("jdk-17", "17.0.9").toString());
    environment.put("PATH", jdk("jdk-25b", "25").resolve("bin") + ":" + environment.get("PATH"));
    assertTrue(rdma("info").says("java of jdk-25b:"));
  }

  @Test
  void ignoredPipeSignalsCauseNoMessage() throws Exception {
    environment.put("PATH", environment.get("PATH") + ":" + jdk("jdk-26", "26").resolve("bin"));
    executable(bin.resolve("readlink"), "#!/bin/sh\nsleep 0.5; exec /usr/bin/readlink \"$@\"");
    List<String> command = List.of("sh", "-c", "trap '' PIPE; exec \"$0\" info", project.resolve("rdma").toString());
    Ended ended = end(launcher().command(command).start());
    assertEquals(0, ended.status(), ended.output());
    assertFalse(ended.says("write error"), ended.output());
  }

  @Test
  void aJdkInTheUsualFoldersIsFound() throws Exception {
    Path jdks = temp.resolve("home/.jdks/corretto-25");
    Files.createDirectories(jdks.getParent());
    Files.move(jdk("jdk-x", "25"), jdks);
    environment.put("JAVA_HOME", "/nowhere");
    Ended ended = withoutSystemJdks("info");
    assertEquals(0, ended.status(), ended.output());
    assertTrue(ended.says("java of jdk-x:"), ended.output());
  }

  /** A system service may have no HOME variable. */
  @Test
  void withoutAHomeTheJdksOfTheSystemAreFound() throws Exception {
    Files.createDirectories(temp.resolve("jvm"));
    Files.move(jdk("jdk-x", "25"), temp.resolve("jvm/jdk-25"));
    replace("tools/rdma/launcher/java", "/usr/lib/jvm/*", temp + "/jvm/*");
    environment.remove("JAVA_HOME");
    environment.remove("HOME");
    Ended ended = rdma("info");
    assertEquals(0, ended.status(), ended.output());
    assertTrue(ended.says("java of jdk-x:"), ended.output());
  }

  @Test
  void withoutJdkItSaysWhatWasFoundAndWhatToInstall() throws Exception {
    environment.put("JAVA_HOME", jdk("jdk-17", "17.0.9").toString());
    Ended ended = withoutSystemJdks("info");
    assertEquals(1, ended.status());
    assertTrue(ended.says("a JDK 25 or later is needed, and none was found"), ended.output());
    assertTrue(ended.says("found: " + temp.resolve("jdk-17") + " (17)"), ended.output());
    assertTrue(ended.says("rdma: or unpack a JDK (https://adoptium.net/temurin/releases/?version=25) and name its folder: JAVA_HOME="),
      ended.output());
  }

  @Test
  void aRuntimeWithoutCompilerIsNoJdk() throws Exception {
    Path jre = jdk("jre-25", "25");
    Files.delete(jre.resolve("bin/javac"));
    environment.put("JAVA_HOME", jre.toString());
    Ended ended = withoutSystemJdks("info");
    assertTrue(ended.says("jre-25 (25, a JRE without compiler)"), ended.output());
  }

  @Test
  void warningsOfTheJdkAndHazelcastAreSwitchedOff() throws Exception {
    String output = rdma("info").output();
    for (String flag : List.of("--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow -Dio.netty.noUnsafe=true",
      "--add-opens java.base/java.lang=ALL-UNNAMED")) {
      assertTrue(output.contains(flag), output);
    }
  }
}
