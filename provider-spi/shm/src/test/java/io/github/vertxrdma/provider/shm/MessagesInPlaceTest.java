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
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class MessagesInPlaceTest {
  private static final int SENDERS = 3;
  private static final int SIZE = 12_000;
  private static final int POLLS = 1_000;

  @Test
  void messagesOfBatchStayWhileWritersFillTheirRings() {
    PairOptions options = new PairOptions().withSlots(128, SIZE).withReceivesInPlace();
    Random random = new Random(1);
    try (Domain domain = ShmDeviceTest.device().open(); Side receiver = new Side(domain, options)) {
      EndpointAddress address = receiver.listenAndAccept().localAddress();
      Side[] senders = new Side[SENDERS];
      Map<Endpoint, int[]> received = new HashMap<>();
      int[] sent = new int[SENDERS];
      try {
        for (int i = 0; i < SENDERS; i++) {
          senders[i] = new Side(domain, options);
          Side sender = senders[i];
          int count = i + 1;
          Endpoint end = sender.connect(address);
          Await.until("connected", () -> sender.connected.contains(end) && receiver.connected.size() == count,
            () -> sender.poll() + receiver.poll(), receiver::toString);
          received.put(receiver.endpoint, new int[] {i, 0});
        }
        fill(senders[0], sent, 0, 1);
        for (int poll = 0; poll < POLLS; poll++) {
          fill(senders[1], sent, 1, random.nextInt(4));
          fill(senders[2], sent, 2, random.nextInt(4));
          CompletionBatch batch = new CompletionBatch(random.nextInt(4) == 0 ? 1 + random.nextInt(8) : 64);
          receiver.queue().poll(batch);
          fill(senders[1], sent, 1, SIZE);
          fill(senders[2], sent, 2, SIZE);
          for (int i = 0; i < batch.size(); i++) {
            if (batch.operation(i) == Operation.RECEIVE) {
              check(batch, i, received.get(batch.endpoint(i)));
            }
          }
        }
        assertTrue(received.values().stream().allMatch(each -> each[1] > 0), "all have sent");
      } finally {
        for (Side sender : senders) {
          if (sender != null) {
            sender.close();
          }
        }
      }
    }
  }

  private static void fill(Side sender, int[] sent, int number, int most) {
    sender.poll();
    for (int i = 0; i < most && sender.sendClaimed(sender.endpoint, Pattern.bytes(sent[number], SIZE)); i++) {
      sent[number]++;
    }
  }

  private static void check(CompletionBatch batch, int i, int... from) {
    assertEquals(Status.OK, batch.status(i));
    byte[] data = batch.memory(i).asSlice(batch.offset(i), batch.length(i)).toArray(ValueLayout.JAVA_BYTE);
    try {
      Pattern.check(data, SIZE, from[1]);
    } catch (AssertionError e) {
      throw new AssertionError("message " + from[1] + " of sender " + from[0], e);
    }
    from[1]++;
    assertEquals(Status.OK, batch.endpoint(i).receiveQueue().post(Side.nextId(), null, 0, SIZE));
  }
}
