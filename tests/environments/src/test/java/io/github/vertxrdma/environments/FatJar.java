package io.github.vertxrdma.environments;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;

/** Packs the class path of this process into one jar, as build tools do. */
final class FatJar {
  private static final String SERVICES = "META-INF/services/";
  private static final String SPRING_LOADER = "spring-boot-loader";

  private FatJar() {
  }

  /** Returns the class path without the classes of Spring's loader. */
  static List<Path> classPath() {
    return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator)).map(Path::of).map(Path::toAbsolutePath)
      .filter(Files::exists).filter(path -> !isSprings(path)).toList();
  }

  private static boolean isSprings(Path path) {
    return path.getFileName().toString().startsWith(SPRING_LOADER);
  }

  private interface Reader {
    void entry(String name, byte[] bytes) throws IOException;
  }

  private static void read(Path from, Reader reader) throws IOException {
    if (Files.isDirectory(from)) {
      try (Stream<Path> files = Files.walk(from)) {
        for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
          reader.entry(from.relativize(file).toString(), Files.readAllBytes(file));
        }
      }
      return;
    }
    try (ZipInputStream in = new ZipInputStream(Files.newInputStream(from))) {
      for (ZipEntry entry; (entry = in.getNextEntry()) != null;) {
        if (!entry.isDirectory()) {
          reader.entry(entry.getName(), in.readAllBytes());
        }
      }
    }
  }

  private static JarOutputStream open(Path jar, Map<String, String> attributes) throws IOException {
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    attributes.forEach((name, value) -> manifest.getMainAttributes().putValue(name, value));
    return new JarOutputStream(Files.newOutputStream(jar), manifest);
  }

  private static void add(JarOutputStream to, String name, byte[] bytes, boolean compressed) throws IOException {
    JarEntry entry = new JarEntry(name);
    if (!compressed) {
      CRC32 sum = new CRC32();
      sum.update(bytes);
      entry.setMethod(ZipEntry.STORED);
      entry.setSize(bytes.length);
      entry.setCrc(sum.getValue());
    }
    to.putNextEntry(entry);
    to.write(bytes);
    to.closeEntry();
  }

  /**
   * Packs one jar with all classes and concatenated services, as Maven's shade and Gradle's shadow do. Of other files with one name it has
   * the first.
   */
  static Path shaded(Path jar, Class<?> main, List<Path> classPath) throws IOException {
    Map<String, StringBuilder> services = new LinkedHashMap<>();
    Set<String> names = new HashSet<>(Set.of("META-INF/MANIFEST.MF"));
    try (JarOutputStream out = open(jar, Map.of("Main-Class", main.getName(), "Multi-Release", "true", "Enable-Native-Access",
      "ALL-UNNAMED"))) {
      for (Path from : classPath) {
        read(from, (name, bytes) -> {
          if (name.startsWith(SERVICES)) {
            services.computeIfAbsent(name, n -> new StringBuilder()).append(new String(bytes, StandardCharsets.UTF_8)).append('\n');
          } else if (!name.endsWith("module-info.class") && !name.matches("META-INF/[^/]*\\.(SF|DSA|RSA)") && names.add(name)) {
            add(out, name, bytes, false);
          }
        });
      }
      for (Map.Entry<String, StringBuilder> service : services.entrySet()) {
        add(out, service.getKey(), service.getValue().toString().getBytes(StandardCharsets.UTF_8), false);
      }
    }
    return jar;
  }

  /** Packs a jar of jars with the classes that start it, as Spring Boot's plugin does. */
  static Path springBoot(Path jar, Class<?> main, List<Path> classPath) throws IOException {
    Path own = Path.of(main.getProtectionDomain().getCodeSource().getLocation().getPath());
    Path loader = Stream.of(System.getProperty("java.class.path").split(File.pathSeparator)).map(Path::of).filter(FatJar::isSprings)
      .findFirst().orElseThrow();
    try (JarOutputStream out = open(jar, Map.of("Main-Class", "org.springframework.boot.loader.launch.JarLauncher", "Start-Class",
      main.getName(), "Spring-Boot-Classes", "BOOT-INF/classes/", "Spring-Boot-Lib", "BOOT-INF/lib/", "Enable-Native-Access",
      "ALL-UNNAMED"))) {
      read(loader, (name, bytes) -> {
        if (name.endsWith(".class")) {
          add(out, name, bytes, true);
        }
      });
      add(out, "BOOT-INF/", new byte[0], false);
      add(out, "BOOT-INF/classes/", new byte[0], false);
      read(own, (name, bytes) -> add(out, "BOOT-INF/classes/" + name, bytes, true));
      add(out, "BOOT-INF/lib/", new byte[0], false);
      int number = 0;
      for (Path from : classPath) {
        if (!from.equals(own)) {
          add(out, "BOOT-INF/lib/" + number++ + "-" + from.getFileName() + (Files.isDirectory(from) ? ".jar" : ""),
            Files.isDirectory(from) ? packed(from) : Files.readAllBytes(from), false);
        }
      }
    }
    return jar;
  }

  private static byte[] packed(Path folder) throws IOException {
    Path jar = Files.createTempFile("packed", ".jar");
    try (OutputStream file = Files.newOutputStream(jar); JarOutputStream out = new JarOutputStream(file)) {
      read(folder, (name, bytes) -> add(out, name, bytes, true));
    }
    try {
      return Files.readAllBytes(jar);
    } finally {
      Files.delete(jar);
    }
  }
}
