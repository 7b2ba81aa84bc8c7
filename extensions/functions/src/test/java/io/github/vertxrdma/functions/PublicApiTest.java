package io.github.vertxrdma.functions;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.constantpool.Utf8Entry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The module needs nothing of the layers below but their public API: no type of the provider SPI, none of an impl package. */
@Timeout(60)
class PublicApiTest {
  private static final Set<String> ALLOWED = Set.of("io/github/vertxrdma/functions/", "io/github/vertxrdma/directory/");

  @Test
  void classesNameNoInternals() throws Exception {
    Path classes = Path.of(FunctionServer.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    Set<String> internals = new TreeSet<>();
    List<Path> files;
    try (Stream<Path> walk = Files.walk(classes)) {
      files = walk.filter(file -> file.toString().endsWith(".class")).toList();
    }
    assertTrue(files.size() > 20, files::toString);
    files.forEach(file -> names(file).filter(PublicApiTest::isInternal).forEach(name ->
      internals.add(classes.relativize(file) + ": " + name)));
    assertEquals(Set.of(), internals);
  }

  /** Everything in a class's constant pool: names of classes, and descriptors of what it calls. */
  private static Stream<String> names(Path file) {
    try {
      ClassModel model = ClassFile.of().parse(file);
      return Stream.iterate(1, i -> i < model.constantPool().size(), i -> i + model.constantPool().entryByIndex(i).width())
        .map(i -> model.constantPool().entryByIndex(i)).filter(Utf8Entry.class::isInstance)
        .map(entry -> ((Utf8Entry) entry).stringValue());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean isInternal(String text) {
    for (int at = text.indexOf("io/github/vertxrdma/"); at >= 0; at = text.indexOf("io/github/vertxrdma/", at + 1)) {
      String name = text.substring(at).split("[;<>]", 2)[0];
      boolean api = name.lastIndexOf('/') == "io/github/vertxrdma".length();
      if (!api && ALLOWED.stream().noneMatch(name::startsWith)) {
        return true;
      }
    }
    return text.startsWith("io.github.vertxrdma.provider") || text.startsWith("io.github.vertxrdma.impl");
  }

  /** The check sees what it looks for. */
  @Test
  void anInternalNameIsSeen() {
    assertTrue(isInternal("(Lio/github/vertxrdma/provider/Device;)V"));
    assertTrue(isInternal("io/github/vertxrdma/impl/region/Lease"));
    assertTrue(isInternal("io.github.vertxrdma.provider"));
    assertEquals(false, isInternal("(Lio/github/vertxrdma/Rdma;Lio/github/vertxrdma/directory/ServiceEntry;)V"));
  }
}
