package io.github.vertxrdma.provider.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.vertxrdma.provider.ProviderException.Reason;
import java.net.BindException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SocketsTest {

  private static Reason reason(Exception cause) {
    return Sockets.failure("connect to 127.0.0.1:7", cause).reason();
  }

  @ParameterizedTest
  @CsvSource({
    "EADDRINUSE, 98, ADDRESS_IN_USE",
    "EADDRNOTAVAIL, 99, UNREACHABLE",
    "ECONNREFUSED, 111, REFUSED",
    "ETIMEDOUT, 110, TIMEOUT",
    "ENETUNREACH, 101, UNREACHABLE",
    "EHOSTUNREACH, 113, UNREACHABLE",
    "EMFILE, 24, LIMIT",
    "ENFILE, 23, LIMIT",
    "EACCES, 13, OTHER"})
  void theNumberOfASystemCallDecides(String name, int errno, Reason reason) {
    assertEquals(reason, reason(new LinuxCalls.Failure(errno, "rien ne va plus")), name);
  }

  @Test
  void exceptionClassDecidesForUnknownTexts() {
    for (Exception cause : List.of(new BindException("occupé"), new ConnectException("occupé"), new NoRouteToHostException("occupé"))) {
      assertEquals(Reason.UNREACHABLE, reason(cause));
    }
    assertEquals(Reason.OTHER, reason(new SocketException("occupé")));
    assertEquals(Reason.REFUSED, reason(new ConnectException("Connection refused")));
  }
}
