package io.github.vertxrdma.provider.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.provider.contract.Pair;
import io.github.vertxrdma.provider.ffi.FileDescriptor;
import java.io.IOException;
import java.net.Socket;
import org.junit.jupiter.api.Test;

class LinuxSocketsTest implements ConnectionCases, RobustnessCases, StrangerCases, StressCases {
  private static final int MESSAGE = 1 << 20;
  private static final int MESSAGES = 100;

  @Override
  public Device device() {
    return BackEnds.linux();
  }

  /** The refusal waits for room in the socket, which is watched only for that. */
  @Test
  void refusedPeerThatSendsOnKeepsNoLoopAwake() throws IOException {
    try (Pair pair = Pair.connected(device()); Socket peer = new Socket()) {
      peer.setReceiveBufferSize(4096);
      peer.setSendBufferSize(4096);
      peer.connect(pair.listener().localAddress().toInet());
      RawSockets.connect(pair, peer);
      Endpoint victim = pair.b.connected.getLast();
      MemoryRegion region = pair.b.region(MESSAGE);
      for (int i = 0; i < MESSAGES; i++) {
        assertEquals(Status.OK, victim.post(new WorkRequest().send(region, 0, MESSAGE)));
      }
      int fd = pair.b.queue().fd();
      pair.until("the socket is full", () -> !FileDescriptor.readable(fd, 0));
      peer.getOutputStream().write(RawSockets.header(NioFrame.SEND, MESSAGE).array());
      pair.until("a message that is too long is refused", () -> pair.b.failedSlots.size() == 1);
      peer.getOutputStream().write(new byte[32 << 10]);
      int[] polls = {0};
      pair.until("the queue has nothing to do", () -> {
        polls[0]++;
        return !FileDescriptor.readable(fd, 0);
      });
      assertTrue(polls[0] < 100, polls[0] + " polls had something to do");
    }
  }
}
