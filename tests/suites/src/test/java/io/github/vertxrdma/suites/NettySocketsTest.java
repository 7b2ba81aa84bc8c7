package io.github.vertxrdma.suites;

import io.netty.testsuite.transport.socket.ServerSocketSuspendTest;
import io.netty.testsuite.transport.socket.SocketAddressesTest;
import io.netty.testsuite.transport.socket.SocketAutoReadTest;
import io.netty.testsuite.transport.socket.SocketCancelWriteTest;
import io.netty.testsuite.transport.socket.SocketConnectTest;
import io.netty.testsuite.transport.socket.SocketDataReadInitialStateTest;
import io.netty.testsuite.transport.socket.SocketEchoTest;
import io.netty.testsuite.transport.socket.SocketExceptionHandlingTest;
import io.netty.testsuite.transport.socket.SocketFixedLengthEchoTest;
import io.netty.testsuite.transport.socket.SocketHalfClosedTest;
import io.netty.testsuite.transport.socket.SocketMultipleConnectTest;
import io.netty.testsuite.transport.socket.SocketReadPendingTest;
import io.netty.testsuite.transport.socket.SocketShutdownOutputByPeerTest;
import io.netty.testsuite.transport.socket.SocketShutdownOutputBySelfTest;
import io.netty.testsuite.transport.socket.WriteBeforeRegisteredTest;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("full")
class NettySocketsTest {
  private static final List<Class<?>> QUICK = List.of(ServerSocketSuspendTest.class, SocketAddressesTest.class,
    SocketAutoReadTest.class, SocketCancelWriteTest.class, SocketConnectTest.class, SocketDataReadInitialStateTest.class,
    SocketEchoTest.class, SocketExceptionHandlingTest.class, SocketFixedLengthEchoTest.class,
    SocketMultipleConnectTest.class, SocketReadPendingTest.class, SocketShutdownOutputByPeerTest.class,
    SocketShutdownOutputBySelfTest.class, WriteBeforeRegisteredTest.class);

  /** All tests but one, which blocks an event loop for ever if both ends share it. */
  private static final List<String> HALF_CLOSED = Stream.of("testHalfClosureReceiveDataOnFinalWait2StateWhenSoLingerSet",
    "testHalfClosureOnlyOneEventWhenAutoRead", "testAllDataReadAfterHalfClosure", "testAllDataReadClosure",
    "testAllDataReadEventTriggeredAfterHalfClosure").map(test -> SocketHalfClosedTest.class.getName() + '#' + test).toList();

  @Test
  @Timeout(value = 15, unit = TimeUnit.MINUTES)
  void passOverNio() throws Exception {
    List<String> classes = Stream.concat(QUICK.stream().map(Class::getName), HALF_CLOSED.stream()).toList();
    new SuiteComparison("netty", SuiteRunner.ofStreams("netty-sockets"), classes).over("nio", null, classes.size());
  }
}
