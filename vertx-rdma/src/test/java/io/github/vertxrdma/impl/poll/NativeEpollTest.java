package io.github.vertxrdma.impl.poll;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.vertxrdma.provider.contract.ChildJvm;
import io.netty.channel.Channel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.unix.Socket;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.MethodModel;
import java.lang.reflect.AccessFlag;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class NativeEpollTest {
  @TempDir
  Path folder;

  @BeforeEach
  void needEpoll() {
    assumeTrue(Epoll.isAvailable(), "epoll is not available here");
  }

  private static String missing(ChildJvm child) throws InterruptedException {
    try (child) {
      return child.await(NativeEpollProcess.MISSING);
    }
  }

  private ChildJvm on(String options, String... properties) throws Exception {
    String mount = "mount -t tmpfs -o " + options + " tmpfs " + folder;
    assumeTrue(new ProcessBuilder("unshare", "-m", "sh", "-c", mount).start().waitFor() == 0,
      "SKIPPED mounts with " + options + ": only root can make them, by unshare(1)");
    return ChildJvm.startBy(List.of("unshare", "-m", "sh", "-c", mount + " && exec \"$@\"", "sh"), NativeEpollProcess.class, properties);
  }

  @Test
  void nothingIsMissingWhereEpollIsAvailable() {
    assertTrue(NativeEpoll.missing().isEmpty());
  }

  @Test
  void noexecFolderIsNamedWithItsRemedy() throws Exception {
    assertEquals(
      "the temporary folder " + folder + " is mounted noexec, so Netty cannot load its native library from it. Mount it with exec"
        + " (Docker: --tmpfs " + folder
        + ":exec), or set -Dio.netty.native.workdir=FOLDER to a folder that is writable and not mounted noexec",
      missing(on("noexec", "java.io.tmpdir=" + folder)));
  }

  @Test
  void otherFolderForNativeLibrariesIsTheRemedy() throws Exception {
    assertEquals("nothing",
      missing(on("noexec", "java.io.tmpdir=" + folder, "io.netty.native.workdir=" + System.getProperty("java.io.tmpdir"))));
  }

  @Test
  void refusedNativeAccessIsNamedBeforeTheFolder() throws Exception {
    List<String> program = List.of("sh", "-c", "for each; do shift; case \"$each\" in --enable-native*)"
      + " each=--illegal-native-access=deny;; esac; set -- \"$@\" \"$each\"; done; exec \"$@\"", "sh");
    assertEquals("Java does not let Netty load its native library. Start Java with --enable-native-access=ALL-UNNAMED",
      missing(ChildJvm.startBy(program, NativeEpollProcess.class)));
  }

  @Test
  void readOnlyFolderIsNamed() throws Exception {
    String missing = missing(on("ro", "java.io.tmpdir=" + folder));
    assertTrue(missing.startsWith("the temporary folder " + folder + " is mounted read-only, so Netty cannot unpack"), missing);
  }

  @Test
  void fullFolderIsNamed() throws Exception {
    assertEquals(
      "Netty cannot unpack its native library into the temporary folder " + folder + ": No space left on device. Make room there,"
        + " or set -Dio.netty.native.workdir=FOLDER to a folder that is writable and not mounted noexec",
      missing(on("size=4k", "java.io.tmpdir=" + folder)));
  }

  @Test
  void limitOfFilesIsNamed() throws Exception {
    String missing = missing(ChildJvm.startBy(List.of("sh", "-c", "ulimit -f 8 && exec \"$@\"", "sh"), NativeEpollProcess.class));
    assertTrue(missing.contains(": File too large. Raise the limit of files with 'ulimit -f unlimited'"), missing);
  }

  @Test
  void oldNettyBesideNewerOneIsNamed() throws Exception {
    Path old = folder.resolve("netty-transport-native-unix-common-4.1.118.Final.jar");
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest.getMainAttributes().put(Attributes.Name.IMPLEMENTATION_VERSION, "4.1.118.Final");
    try (JarOutputStream jar = new JarOutputStream(Files.newOutputStream(old), manifest)) {
      for (Class<?> type : List.of(Socket.class, Socket.class.getSuperclass())) {
        jar.putNextEntry(new JarEntry(type.getName().replace('.', '/') + ".class"));
        jar.write(withoutNativeMethods(type));
      }
    }
    String classPath = old + File.pathSeparator + System.getProperty("java.class.path");
    assertEquals("the class path has " + old.getFileName() + " of Netty 4.1.118.Final together with Netty " + netty()
      + ". Give all jars of Netty one version, for example by importing io.netty:netty-bom",
      missing(ChildJvm.startOn(classPath, NativeEpollProcess.class)));
  }

  /** An older Netty lacks methods that a newer native library implements, so that it cannot be loaded. */
  private static byte[] withoutNativeMethods(Class<?> type) throws IOException {
    try (InputStream in = type.getResourceAsStream(type.getSimpleName() + ".class")) {
      ClassFile files = ClassFile.of();
      return files.transformClass(files.parse(in.readAllBytes()),
        ClassTransform.dropping(element -> element instanceof MethodModel method && method.flags().has(AccessFlag.NATIVE)));
    }
  }

  private static String netty() {
    return Channel.class.getPackage().getImplementationVersion();
  }

  @Test
  void missingNativeLibraryIsNamedWithItsCoordinates() throws Exception {
    String classPath = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
      .filter(entry -> !entry.contains("netty-transport-native-epoll")).collect(Collectors.joining(File.pathSeparator));
    String missing = missing(ChildJvm.startOn(classPath, NativeEpollProcess.class));
    assertTrue(missing.startsWith("Netty's native library is not on the class path. Add io.netty:netty-transport-native-epoll:" + netty()
      + " with the classifier linux-"), missing);
  }

  @Test
  void optionThatDisablesNativeLibrariesIsNamed() throws Exception {
    assertEquals("-Dio.netty.transport.noNative=true disables Netty's native libraries. Remove that option",
      missing(ChildJvm.start(NativeEpollProcess.class, "io.netty.transport.noNative=true")));
  }
}
