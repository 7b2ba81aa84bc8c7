package io.github.vertxrdma.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class LauncherJdkTest extends LauncherFixture {

  @Test
  void olderJavaInJavaHomeAndOnThePathIsPassedBy() throws Exception {
    Path old = jdk("jdk-17", "17.0.9");
    environment.put("PATH", old.resolve("bin") + ":" + jdk("jdk-26", "26-ea").resolve("bin") + ":" + environment.get("PATH"));
    environment.put("JAVA_HOME", old.toString());
    Ended ended = rdma("info");
    assertEquals(0, ended.status(), ended.output());
    assertTrue(ended.says("java of jdk-26:"), ended.output());
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
    Path jre = jdk("jre-25", "25");
    Files.delete(jre.resolve("bin/javac"));
    environment.put("PATH", jre.resolve("bin") + ":" + environment.get("PATH"));
    Ended ended = withoutSystemJdks("info");
    assertEquals(1, ended.status());
    assertTrue(ended.says("a JDK 25 or later is needed, and none was found"), ended.output());
    assertTrue(ended.says("found: " + temp.resolve("jdk-17") + " (17)"), ended.output());
    assertTrue(ended.says("jre-25 (25, a JRE without compiler)"), ended.output());
    assertTrue(ended.says("rdma: or unpack a JDK (https://adoptium.net/temurin/releases/?version=25) and name its folder: JAVA_HOME="),
      ended.output());
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
