package io.github.vertxrdma.impl.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.vertx.core.Vertx;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(20)
class NettyVersionsTest {
  @TempDir
  Path folder;

  /** Makes a folder like a jar of Netty, which states its version in such a file. */
  private URL jar(String name, String version) throws IOException {
    Path file = folder.resolve(name + '-' + version).resolve("META-INF/io.netty.versions.properties");
    Files.createDirectories(file.getParent());
    Files.writeString(file, name + ".version=" + version + '\n' + name + ".repoStatus=clean\n");
    return folder.resolve(name + '-' + version).toUri().toURL();
  }

  private static String mixed(URL... jars) throws IOException {
    try (URLClassLoader loader = new URLClassLoader(jars, null)) {
      return NettyVersions.mixed(loader);
    }
  }

  @Test
  void versionsAreNamedWithTheirJars() throws Exception {
    assertEquals("The class path has jars of Netty of several versions: 4.1.118.Final (netty-common), 4.2.14.Final (netty-buffer,"
      + " netty-transport). Vert.x fails with classes or methods that it does not find. Give all of them the version that this Vert.x was"
      + " released with, for example by importing io.netty:netty-bom before other bills of materials; in Spring Boot set the property"
      + " netty.version.",
      mixed(jar("netty-transport", "4.2.14.Final"), jar("netty-common", "4.1.118.Final"), jar("netty-buffer", "4.2.14.Final")));
  }

  @Test
  void oneJarInTwoVersionsIsNamed() throws Exception {
    String message = mixed(jar("netty-common", "4.2.14.Final"), jar("netty-common", "4.2.16.Final"));
    assertEquals("4.2.14.Final (netty-common), 4.2.16.Final (netty-common)",
      message.substring(message.indexOf("versions: ") + "versions: ".length(), message.indexOf(". Vert.x fails")));
  }

  @Test
  void atMostFourJarsOfAVersionAreNamed() throws Exception {
    String message = mixed(jar("netty-a", "4.2.14.Final"), jar("netty-b", "4.2.14.Final"), jar("netty-c", "4.2.14.Final"),
      jar("netty-d", "4.2.14.Final"), jar("netty-e", "4.2.14.Final"), jar("netty-f", "4.2.14.Final"), jar("netty-a", "4.2.16.Final"));
    assertEquals("4.2.14.Final (netty-a, netty-b, netty-c, netty-d and 2 more), 4.2.16.Final (netty-a)",
      message.substring(message.indexOf("versions: ") + "versions: ".length(), message.indexOf(". Vert.x fails")));
  }

  @Test
  void oneVersionHasNoMessage() throws Exception {
    assertNull(mixed(jar("netty-common", "4.2.14.Final"), jar("netty-buffer", "4.2.14.Final"), jar("netty-incubator-codec", "0.0.1")));
    assertNull(NettyVersions.mixed(Vertx.class.getClassLoader()));
  }
}
