package io.github.vertxrdma.base;

import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class CallTableTest {
  private static final int ID_BITS = 32;
  private static final int CALLS = 200_000;

  private static final class Call extends CallTable.PendingCall {
    @Override
    protected void failed(Throwable cause) {
      throw new AssertionError(cause);
    }
  }

  @Test
  void callsAreFoundByTheirOwnIdsWhenIdsStartAgain() {
    CallTable<Call> table = new CallTable<>(() -> new Deadlines(() -> 0), () -> 0, CallTable.MAX_CALLS, ID_BITS,
      millis -> new AssertionError());
    Call waiting = new Call();
    long idOfWaiting = table.add(waiting, 1000);
    long before = 0;
    for (int i = 0; i < CALLS; i++) {
      Call call = new Call();
      long id = table.add(call, 1000);
      assertTrue(id > 0 && id >>> ID_BITS == 0);
      assertNotEquals(idOfWaiting, id);
      assertSame(call, table.get(id));
      assertNull(table.get(before), "the call before has ended");
      table.remove(call);
      before = id;
    }
    assertSame(waiting, table.get(idOfWaiting));
  }
}
