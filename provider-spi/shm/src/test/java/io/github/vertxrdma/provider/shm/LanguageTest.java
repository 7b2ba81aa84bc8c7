package io.github.vertxrdma.provider.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ProviderException.Reason;
import io.github.vertxrdma.provider.contract.GermanWords;
import java.io.IOException;
import java.nio.file.FileSystemException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Failures of the JDK, by which a process tells of limits in its language. */
class LanguageTest {

  private static String words(int errno) {
    return new GermanWords().of(errno);
  }

  @ParameterizedTest
  @CsvSource({"ENFILE, 23", "EMFILE, 24", "EFBIG, 27", "ENOSPC, 28", "EDQUOT, 122"})
  void aFileThatFindsNoRoomIsALimit(String name, int errno) {
    for (IOException cause : new IOException[] {new IOException(words(errno)), new FileSystemException("/tmp/file", null, words(errno))}) {
      ProviderException failure = NamedFile.failure(4096, cause);
      assertEquals(Reason.LIMIT, failure.reason(), name);
      assertTrue(failure.getMessage().contains("VERTX_RDMA_RUNTIME"), failure.getMessage());
    }
  }

  @ParameterizedTest
  @CsvSource({"23, sysctl fs.file-max", "24, ulimit -n"})
  void aChannelThatFindsNoDescriptorIsALimit(int errno, String remedy) {
    ProviderException failure = ChannelSet.failure("nobody can be accepted", new IOException(words(errno)));
    assertEquals(Reason.LIMIT, failure.reason());
    assertTrue(failure.getMessage().contains(remedy), failure.getMessage());
  }

  @ParameterizedTest
  @CsvSource({"98", "110"})
  void anotherFailureIsNone(int errno) {
    assertEquals(Reason.OTHER, NamedFile.failure(4096, new IOException(words(errno))).reason());
    assertEquals(Reason.OTHER, ChannelSet.failure("nobody can be accepted", new IOException(words(errno))).reason());
  }
}
