package io.github.vertxrdma.cli;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;

final class ProjectFiles {
  static final Path PROJECT = Path.of("").toAbsolutePath().getParent().getParent();

  private ProjectFiles() {
  }

  /** Returns all files without hidden and built folders, which change while other modules are tested. */
  static List<Path> all() throws IOException {
    List<Path> files = new ArrayList<>();
    Files.walkFileTree(PROJECT, new SimpleFileVisitor<>() {
      @Override
      public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
        String name = folder.getFileName().toString();
        return !folder.equals(PROJECT) && (name.equals("target") || name.startsWith(".")) ? FileVisitResult.SKIP_SUBTREE
          : FileVisitResult.CONTINUE;
      }

      @Override
      public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
        files.add(file);
        return FileVisitResult.CONTINUE;
      }

      @Override
      public FileVisitResult visitFileFailed(Path file, IOException gone) {
        return FileVisitResult.CONTINUE;
      }
    });
    assertTrue(files.size() > 500, () -> "there are only " + files.size() + " files in " + PROJECT);
    return files;
  }
}
