package io.github.vertxrdma.impl.process;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

@Name("io.github.vertxrdma.Connect")
@Label("Connect")
@Description("An attempt to connect over one fabric, from its start until the connection is open or has failed.")
@Category("vertx-rdma")
@StackTrace(false)
final class ConnectEvent extends Event implements FlightEvents.Attempt {
  @Label("What")
  public String what;
  @Label("Device")
  public String device;
  @Label("Failure")
  public String failure;

  static ConnectEvent start() {
    ConnectEvent event = new ConnectEvent();
    event.begin();
    return event;
  }

  @Override
  public void ended(String peer, String deviceName, Throwable cause) {
    end();
    if (shouldCommit()) {
      what = peer;
      device = deviceName;
      failure = cause == null ? null : cause.getMessage();
      commit();
    }
  }
}
