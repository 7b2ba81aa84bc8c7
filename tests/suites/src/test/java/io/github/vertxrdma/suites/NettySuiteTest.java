package io.github.vertxrdma.suites;

import io.netty.testsuite.transport.socket.CompositeBufferGatheringWriteTest;
import io.netty.testsuite.transport.socket.ServerSocketSuspendTest;
import io.netty.testsuite.transport.socket.SocketAddressesTest;
import io.netty.testsuite.transport.socket.SocketAutoReadTest;
import io.netty.testsuite.transport.socket.SocketBufReleaseTest;
import io.netty.testsuite.transport.socket.SocketCancelWriteTest;
import io.netty.testsuite.transport.socket.SocketChannelNotYetConnectedTest;
import io.netty.testsuite.transport.socket.SocketCloseForciblyTest;
import io.netty.testsuite.transport.socket.SocketConditionalWritabilityTest;
import io.netty.testsuite.transport.socket.SocketConnectTest;
import io.netty.testsuite.transport.socket.SocketConnectionAttemptTest;
import io.netty.testsuite.transport.socket.SocketDataReadInitialStateTest;
import io.netty.testsuite.transport.socket.SocketEchoTest;
import io.netty.testsuite.transport.socket.SocketExceptionHandlingTest;
import io.netty.testsuite.transport.socket.SocketFileRegionTest;
import io.netty.testsuite.transport.socket.SocketFixedLengthEchoTest;
import io.netty.testsuite.transport.socket.SocketGatheringWriteTest;
import io.netty.testsuite.transport.socket.SocketHalfClosedTest;
import io.netty.testsuite.transport.socket.SocketMultipleConnectTest;
import io.netty.testsuite.transport.socket.SocketObjectEchoTest;
import io.netty.testsuite.transport.socket.SocketReadPendingTest;
import io.netty.testsuite.transport.socket.SocketRstTest;
import io.netty.testsuite.transport.socket.SocketShutdownOutputByPeerTest;
import io.netty.testsuite.transport.socket.SocketShutdownOutputBySelfTest;
import io.netty.testsuite.transport.socket.SocketSpdyEchoTest;
import io.netty.testsuite.transport.socket.SocketSslClientRenegotiateTest;
import io.netty.testsuite.transport.socket.SocketSslEchoTest;
import io.netty.testsuite.transport.socket.SocketSslGreetingTest;
import io.netty.testsuite.transport.socket.SocketSslSessionReuseTest;
import io.netty.testsuite.transport.socket.SocketStartTlsTest;
import io.netty.testsuite.transport.socket.SocketStringEchoTest;
import io.netty.testsuite.transport.socket.TrafficShapingHandlerTest;
import io.netty.testsuite.transport.socket.WriteBeforeRegisteredTest;
import java.util.List;
import java.util.stream.Stream;

/** Runs Netty's socket tests, without those of large certificates, which use embedded channels and sockets. */
class NettySuiteTest extends SuiteContract {
  private static final int MOST_EXCEPTIONS = 10;

  /** Classes that {@link NettySocketsTest} runs too. */
  static final List<Class<?>> QUICK = List.of(ServerSocketSuspendTest.class, SocketAddressesTest.class, SocketAutoReadTest.class,
    SocketCancelWriteTest.class, SocketConnectTest.class, SocketDataReadInitialStateTest.class, SocketEchoTest.class,
    SocketExceptionHandlingTest.class, SocketFixedLengthEchoTest.class, SocketMultipleConnectTest.class, SocketReadPendingTest.class,
    SocketShutdownOutputByPeerTest.class, SocketShutdownOutputBySelfTest.class, WriteBeforeRegisteredTest.class);

  private static final List<Class<?>> OTHERS = List.of(CompositeBufferGatheringWriteTest.class, SocketBufReleaseTest.class,
    SocketChannelNotYetConnectedTest.class, SocketCloseForciblyTest.class, SocketConditionalWritabilityTest.class,
    SocketConnectionAttemptTest.class, SocketFileRegionTest.class, SocketGatheringWriteTest.class, SocketObjectEchoTest.class,
    SocketRstTest.class, SocketSpdyEchoTest.class, SocketSslClientRenegotiateTest.class,
    SocketSslEchoTest.class, SocketSslGreetingTest.class, SocketSslSessionReuseTest.class, SocketStartTlsTest.class,
    SocketStringEchoTest.class, TrafficShapingHandlerTest.class);

  /** All tests but one, which blocks an event loop until its peer has closed. */
  static final List<String> HALF_CLOSED = Stream.of("testHalfClosureReceiveDataOnFinalWait2StateWhenSoLingerSet",
    "testHalfClosureOnlyOneEventWhenAutoRead", "testAllDataReadAfterHalfClosure", "testAllDataReadClosure",
    "testAllDataReadEventTriggeredAfterHalfClosure").map(test -> SocketHalfClosedTest.class.getName() + '#' + test).toList();

  NettySuiteTest() {
    super("netty", MOST_EXCEPTIONS, Stream.concat(names(QUICK, OTHERS), HALF_CLOSED.stream()).toList());
  }

  private static Stream<String> names(List<Class<?>> quick, List<Class<?>> others) {
    return Stream.of(quick, others).flatMap(List::stream).map(Class::getName);
  }
}
