package io.github.vertxrdma.provider;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SystemErrorTest {
  private static final ErrorWords WORDS = errno -> switch (errno) {
    case 23 -> "zu viele Dateien im System";
    case 24 -> "zu viele Dateien";
    case 28 -> "kein Platz";
    default -> null;
  };

  @ParameterizedTest
  @CsvSource({
    "zu viele Dateien, EMFILE",
    "zu viele Dateien im System, ENFILE",
    "kein Platz: /tmp, ENOSPC",
    "etwas anderes, OTHER",
    "Too many open files, EMFILE",
    "Too many open files in system, ENFILE",
    "No space left on device, ENOSPC",
    "Disk quota exceeded, EDQUOT",
    "File too large, EFBIG",
    "newSocketDomain(..) failed with error(-97): Address family not supported by protocol, EAFNOSUPPORT",
    "Address already in use: bind, EADDRINUSE",
    "Cannot assign requested address, EADDRNOTAVAIL",
    "Network is unreachable, ENETUNREACH",
    "No route to host, EHOSTUNREACH",
    "Connection timed out: localhost/127.0.0.1:7, ETIMEDOUT",
    "Connection refused, ECONNREFUSED",
    "refused.example.com, OTHER"})
  void wordsOfTheProcessAndEnglishOnesAreKnown(String words, SystemError error) {
    assertEquals(error, SystemError.of(new IOException(words), List.of(WORDS)));
  }

  @Test
  void fileNameIsNotTakenForTheErrorReason() {
    assertEquals(SystemError.OTHER, SystemError.of(new NoSuchFileException("/tmp/kein Platz/No space left"), List.of(WORDS)));
    assertEquals(SystemError.ENOSPC, SystemError.of(new FileSystemException("/tmp/file", null, "kein Platz"), List.of(WORDS)));
  }

  @Test
  void exceptionWithoutMessageIsOther() {
    assertEquals(SystemError.OTHER, SystemError.of(new IOException(), List.of(WORDS)));
  }

  @Test
  void numbersAreKnown() {
    for (SystemError error : SystemError.values()) {
      assertEquals(error, SystemError.of(error.errno()));
    }
    assertEquals(SystemError.OTHER, SystemError.of(1));
  }
}
