package io.github.vertxrdma.impl.process;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

@Name("io.github.vertxrdma.Connection")
@Label("Connection")
@Description("A connection opened or closed.")
@Category("vertx-rdma")
@StackTrace(false)
final class ConnectionEvent extends Event {
  @Label("Peer")
  public String peer;
  @Label("Name")
  public String name;
  @Label("Device")
  public String device;
  @Label("Open")
  public boolean open;
  @Label("Cause")
  public String cause;

  static void record(String peer, String name, String device, boolean open, Throwable cause) {
    ConnectionEvent event = new ConnectionEvent();
    if (event.shouldCommit()) {
      event.peer = peer;
      event.name = name;
      event.device = device;
      event.open = open;
      event.cause = cause == null ? null : cause.getMessage();
      event.commit();
    }
  }
}
