package io.github.vertxrdma.provider.shm;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.contract.Await;
import io.github.vertxrdma.provider.contract.PairOptions;
import io.github.vertxrdma.provider.contract.Side;
import org.junit.jupiter.api.Test;

/** Peers that always have more than a poll takes leave the other peers their turn. */
class FairPollTest {
  private static final int SENDERS = 3;
  /** More than a poll takes, and more than the first ring holds. */
  private static final int MANY = 1000;

  @Test
  void aMessageWaitsForOnePollOfEachBusyPeerAtMost() {
    PairOptions options = new PairOptions().withSlots(128, 64);
    try (Domain domain = ShmDeviceTest.device().open(); Side receiver = new Side(domain, options)) {
      EndpointAddress address = receiver.listenAndAccept().localAddress();
      Side[] senders = new Side[SENDERS];
      try {
        for (int i = 0; i < SENDERS; i++) {
          senders[i] = new Side(domain, options);
          connect(senders[i], address, receiver, i + 1);
        }
        for (int i = 0; i < SENDERS; i++) {
          aMessageOfOneWhileOthersAreBusy(receiver, senders, i);
        }
      } finally {
        for (Side sender : senders) {
          if (sender != null) {
            sender.close();
          }
        }
      }
    }
  }

  private static void connect(Side sender, EndpointAddress address, Side receiver, int connections) {
    Endpoint end = sender.connect(address);
    Await.until("connected", () -> sender.connected.contains(end) && receiver.connected.size() == connections,
      () -> sender.poll() + receiver.poll(), receiver::toString);
  }

  private static void aMessageOfOneWhileOthersAreBusy(Side receiver, Side[] senders, int quiet) {
    for (int i = 0; i < SENDERS; i++) {
      for (int n = i == quiet ? 1 : MANY; n > 0; n--) {
        senders[i].send(senders[i].endpoint, new byte[] {(byte) i, 0, 0, 0, 0, 0, 0, 0}, 0);
      }
    }
    // Lets the queue read the larger rings of the busy peers.
    ((ShmQueue) receiver.queue()).checkSockets();
    int polls = 0;
    int found = 0;
    while (receiver.messages.stream().noneMatch(message -> message.data()[0] == quiet)) {
      found += receiver.poll();
      polls++;
      assertTrue(polls <= SENDERS, "the message of sender " + quiet + " did not come with the first " + found + " in " + polls + " polls");
    }
    Await.until("all messages", () -> receiver.messages.size() == (SENDERS - 1) * MANY + 1, receiver::poll, receiver::toString);
    receiver.messages.clear();
  }
}
