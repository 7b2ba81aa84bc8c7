package io.github.vertxrdma.base;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class FileErrorsTest {

  @Test
  void causeIsNamedWhereTheMessageOfTheExceptionIsThePath() {
    IOException missing = assertThrows(IOException.class, () -> Files.readString(Path.of("/none/file")));
    assertEquals("/none/file", missing.getMessage());
    assertEquals("there is no such file or folder", FileErrors.words(missing));
    assertEquals("permission denied", FileErrors.words(new AccessDeniedException("/root/file")));
    assertEquals("Read-only file system", FileErrors.words(new FileSystemException("/file", null, "Read-only file system")));
    assertEquals("FileSystemException", FileErrors.words(new FileSystemException("/file")));
    assertEquals("No locks available", FileErrors.words(new IOException("No locks available")));
    assertEquals("IOException", FileErrors.words(new IOException()));
  }
}
