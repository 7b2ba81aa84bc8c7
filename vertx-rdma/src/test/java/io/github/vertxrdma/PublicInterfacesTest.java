package io.github.vertxrdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.bus.RdmaBusClient;
import io.vertx.codegen.annotations.ModuleGen;
import io.vertx.codegen.annotations.VertxGen;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Interfaces of the API are marked for Vert.x's code generator, from which bindings for other languages are made, and it takes them. Interfaces
 * that applications implement, and those with types of the provider SPI, are not for it.
 */
@Timeout(120)
class PublicInterfacesTest {
  private static final Path SOURCES = Path.of("src/main/java/io/github/vertxrdma");
  private static final String GENERATOR = "io.vertx.codegen.processor.Processor";

  @TempDir
  Path folder;

  @ParameterizedTest
  @ValueSource(classes = {Rdma.class, RdmaServer.class, RdmaHandshake.class, RdmaConnection.class, RdmaMessage.class, RdmaOffer.class,
    MemoryRegion.class, RemoteRegion.class, RegionGrant.class, RdmaBusClient.class})
  void itIsMarkedForTheCodeGenerator(Class<?> type) {
    assertTrue(type.isAnnotationPresent(VertxGen.class));
  }

  @Test
  void theCodeGeneratorTakesWhatIsMarked() throws Exception {
    List<Path> sources = new ArrayList<>(List.of(SOURCES.resolve("package-info.java")));
    try (Stream<Path> files = Files.walk(SOURCES)) {
      for (Path file : files.filter(each -> each.toString().endsWith(".java") && !each.startsWith(SOURCES.resolve("impl"))).toList()) {
        if (Files.readString(file).contains("\n@VertxGen\n")) {
          sources.add(file);
        }
      }
    }
    assertEquals(11, sources.size(), sources.toString());
    assertEquals(List.of(), refusals(sources));
  }

  @Test
  void theCodeGeneratorRefusesWhatIsNotForBindings() throws Exception {
    Path module = Files.writeString(Files.createDirectories(folder.resolve("some")).resolve("package-info.java"),
      "@" + ModuleGen.class.getName() + "(name = \"some\", groupPackage = \"some\")\npackage some;\n");
    Path source = Files.writeString(folder.resolve("some/Some.java"),
      "package some;\n@" + VertxGen.class.getName() + " public interface Some {\n  void some(java.lang.foreign.MemorySegment memory);\n}\n");
    List<String> refusals = refusals(List.of(module, source));
    assertTrue(refusals.stream().anyMatch(words -> words.contains("MemorySegment")), refusals.toString());
  }

  /** Errors of the generator, for sources beside what is compiled. */
  private List<String> refusals(List<Path> sources) throws Exception {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    DiagnosticCollector<JavaFileObject> said = new DiagnosticCollector<>();
    String path = System.getProperty("java.class.path");
    try (StandardJavaFileManager files = compiler.getStandardFileManager(said, Locale.ROOT, null)) {
      compiler.getTask(null, files, said, List.of("-proc:only", "-processor", GENERATOR, "-classpath", path, "-processorpath", path,
        "-d", folder.toString()), null, files.getJavaFileObjectsFromPaths(sources)).call();
    }
    return said.getDiagnostics().stream().filter(each -> each.getKind() == Diagnostic.Kind.ERROR)
      .map(each -> each.getMessage(Locale.ROOT)).toList();
  }
}
