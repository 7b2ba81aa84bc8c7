package io.github.vertxrdma.provider.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.contract.Await;
import io.github.vertxrdma.provider.contract.PairOptions;
import io.github.vertxrdma.provider.contract.Pattern;
import io.github.vertxrdma.provider.contract.Side;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Three peers that send to one queue. */
class SeveralSendersTest {
  private static final int SENDERS = 3;
  /** More than a poll takes, and more than the first ring holds. */
  private static final int MANY = 1000;
  private static final int SIZE = 12_000;
  private static final int POLLS = 1_000;

  private final Domain domain = ShmDeviceTest.device().open();
  private final Side[] senders = new Side[SENDERS];
  private final int[] sent = new int[SENDERS];
  private final int[] received = new int[SENDERS];
  private Side receiver;

  private void connect(PairOptions options) {
    receiver = new Side(domain, options);
    EndpointAddress address = receiver.listenAndAccept().localAddress();
    for (int i = 0; i < SENDERS; i++) {
      Side sender = new Side(domain, options);
      senders[i] = sender;
      int connections = i + 1;
      Endpoint end = sender.connect(address);
      Await.until("connected", () -> sender.connected.contains(end) && receiver.connected.size() == connections,
        () -> sender.poll() + receiver.poll(), receiver::toString);
    }
  }

  @AfterEach
  void close() {
    for (Side sender : senders) {
      if (sender != null) {
        sender.close();
      }
    }
    receiver.close();
    domain.close();
  }

  /** Peers that always have more than a poll takes leave the other peers their turn. */
  @Test
  void aMessageWaitsForOnePollOfEachBusyPeerAtMost() {
    connect(new PairOptions().withSlots(128, 64));
    for (int i = 0; i < SENDERS; i++) {
      aMessageOfOneWhileOthersAreBusy(i);
    }
  }

  private void aMessageOfOneWhileOthersAreBusy(int quiet) {
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

  @Test
  void messagesOfBatchStayWhileWritersFillTheirRings() {
    Random random = new Random(1);
    connect(new PairOptions().withSlots(128, SIZE).withReceivesInPlace());
    fill(0, 1);
    for (int poll = 0; poll < POLLS; poll++) {
      fill(1, random.nextInt(4));
      fill(2, random.nextInt(4));
      CompletionBatch batch = new CompletionBatch(random.nextInt(4) == 0 ? 1 + random.nextInt(8) : 64);
      receiver.queue().poll(batch);
      fill(1, SIZE);
      fill(2, SIZE);
      for (int i = 0; i < batch.size(); i++) {
        if (batch.operation(i) == Operation.RECEIVE) {
          check(batch, i);
        }
      }
    }
    assertTrue(Arrays.stream(received).allMatch(count -> count > 0), "all have sent");
  }

  private void fill(int number, int most) {
    Side sender = senders[number];
    sender.poll();
    for (int i = 0; i < most && sender.sendClaimed(sender.endpoint, Pattern.bytes(sent[number], SIZE)); i++) {
      sent[number]++;
    }
  }

  private void check(CompletionBatch batch, int i) {
    assertEquals(Status.OK, batch.status(i));
    byte[] data = batch.memory(i).asSlice(batch.offset(i), batch.length(i)).toArray(ValueLayout.JAVA_BYTE);
    int from = receiver.connected.indexOf(batch.endpoint(i));
    try {
      Pattern.check(data, SIZE, received[from]);
    } catch (AssertionError e) {
      throw new AssertionError("message " + received[from] + " of sender " + from, e);
    }
    received[from]++;
    assertEquals(Status.OK, batch.endpoint(i).receiveQueue().post(Side.nextId(), null, 0, SIZE));
  }
}
