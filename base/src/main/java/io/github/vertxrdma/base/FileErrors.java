package io.github.vertxrdma.base;

import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;

/** Describes causes of failed file operations: several exceptions of the JDK have only the path as message. */
public final class FileErrors {

  private FileErrors() {
  }

  /** Returns the cause without the path. */
  public static String words(Throwable cause) {
    return switch (cause) {
      case NoSuchFileException e -> "there is no such file or folder";
      case AccessDeniedException e -> "permission denied";
      case FileAlreadyExistsException e -> "it already exists";
      case NotDirectoryException e -> "it is not a folder";
      case FileSystemException e when e.getReason() != null -> e.getReason();
      default -> cause instanceof FileSystemException || cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
    };
  }
}
