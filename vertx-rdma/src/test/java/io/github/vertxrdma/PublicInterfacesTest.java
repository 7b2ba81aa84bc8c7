package io.github.vertxrdma;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.vertx.codegen.annotations.VertxGen;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Interfaces of the API are marked for Vert.x's code generator, from which bindings for other languages are made. The compiler runs the
 * generator's checks on what is marked.
 */
@Timeout(60)
class PublicInterfacesTest {
  /** Interfaces of applications' own, and raw mode, whose types are the provider SPI's. */
  private static final Set<String> OTHERS = Set.of("RdmaAuthorizer", "RdmaDevice", "CompletionBatch");

  @Test
  void interfacesAreMarkedForTheCodeGenerator() throws Exception {
    Set<String> missing = new TreeSet<>();
    for (String folder : List.of("", "endpoint/")) {
      for (Class<?> type : types(folder)) {
        if (type.isInterface() && !type.isAnnotationPresent(VertxGen.class) && !OTHERS.contains(type.getSimpleName())) {
          missing.add(type.getName());
        }
      }
    }
    assertEquals(Set.of(), missing);
  }

  private static List<Class<?>> types(String folder) throws IOException, ClassNotFoundException {
    try (Stream<Path> files = Files.list(Path.of("src/main/java/io/github/vertxrdma/" + folder))) {
      List<Class<?>> types = new ArrayList<>();
      for (String name : files.map(file -> file.getFileName().toString()).filter(file -> file.matches("[A-Z]\\w+\\.java")).toList()) {
        types.add(Class.forName("io.github.vertxrdma." + folder.replace('/', '.') + name.replace(".java", "")));
      }
      return types;
    }
  }
}
