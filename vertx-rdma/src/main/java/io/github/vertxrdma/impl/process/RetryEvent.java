package io.github.vertxrdma.impl.process;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

@Name("io.github.vertxrdma.Retry")
@Label("Retry")
@Description("A device was busy for so long that a timer retries.")
@Category("vertx-rdma")
@StackTrace(false)
final class RetryEvent extends Event {
  @Label("Device")
  public String device;
  @Label("Retries")
  public long retries;

  static void record(String device, long retries) {
    RetryEvent event = new RetryEvent();
    if (event.shouldCommit()) {
      event.device = device;
      event.retries = retries;
      event.commit();
    }
  }
}
