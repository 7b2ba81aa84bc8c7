package io.github.vertxrdma.provider.ffi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ProviderException.Reason;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@EnabledOnOs(OS.LINUX)
class FileDescriptorTest {

  @ParameterizedTest
  @CsvSource({
    "EMFILE, 24, LIMIT, ulimit -n",
    "ENFILE, 23, LIMIT, sysctl fs.file-max",
    "ENOMEM, 12, LIMIT, more memory",
    "ENOSPC, 28, LIMIT, sysctl fs.epoll.max_user_watches",
    "EBADF, 9, OTHER, EBADF",
    "EPERM, 1, OTHER, EPERM",
    "EADDRINUSE, 98, OTHER, EADDRINUSE"})
  void limitIsReportedWithItsRemedy(String name, int errno, Reason reason, String remedy) {
    ProviderException failure = FileDescriptor.failure("epoll_ctl of fd 7", errno);
    assertEquals(reason, failure.reason());
    assertEquals(errno, failure.errno());
    assertTrue(failure.getMessage().startsWith("epoll_ctl of fd 7 failed: errno " + errno + ' ' + name), failure.getMessage());
    assertTrue(failure.getMessage().contains(remedy), failure.getMessage());
  }
}
