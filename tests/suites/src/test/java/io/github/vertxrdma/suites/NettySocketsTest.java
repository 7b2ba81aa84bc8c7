package io.github.vertxrdma.suites;

import io.netty.testsuite.transport.socket.SocketHalfClosedTest;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("full")
class NettySocketsTest {
  /** All tests but one, which blocks an event loop for ever if both ends share it. */
  private static final List<String> HALF_CLOSED = Stream.of("testHalfClosureReceiveDataOnFinalWait2StateWhenSoLingerSet",
    "testHalfClosureOnlyOneEventWhenAutoRead", "testAllDataReadAfterHalfClosure", "testAllDataReadClosure",
    "testAllDataReadEventTriggeredAfterHalfClosure").map(test -> SocketHalfClosedTest.class.getName() + '#' + test).toList();

  @Test
  @Timeout(value = 15, unit = TimeUnit.MINUTES)
  void passOverNio() throws Exception {
    List<String> classes = Stream.concat(NettySuiteTest.QUICK.stream().map(Class::getName), HALF_CLOSED.stream()).toList();
    new SuiteComparison("netty", SuiteRunner.ofStreams("netty-sockets"), classes).over("nio", null, classes.size());
  }
}
