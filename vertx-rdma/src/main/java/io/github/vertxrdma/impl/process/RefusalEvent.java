package io.github.vertxrdma.impl.process;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

@Name("io.github.vertxrdma.Refusal")
@Label("Refusal")
@Description("A peer was rejected, or did not finish its handshake.")
@Category("vertx-rdma")
@StackTrace(false)
final class RefusalEvent extends Event {
  @Label("Why")
  public String why;

  static void record(String why) {
    RefusalEvent event = new RefusalEvent();
    if (event.shouldCommit()) {
      event.why = why;
      event.commit();
    }
  }
}
