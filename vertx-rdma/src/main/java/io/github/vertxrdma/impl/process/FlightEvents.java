package io.github.vertxrdma.impl.process;

import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.MemoryRegion;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/**
 * Records Java Flight Recorder events. The first recording loads the event classes, which takes a tenth of a second of CPU time.
 * Thread-safe.
 */
public final class FlightEvents {
  private static final Attempt UNRECORDED = (what, device, cause) -> {
  };

  /** False in a jlink image without Flight Recorder. */
  private static final boolean EXISTS = ModuleLayer.boot().findModule("jdk.jfr").isPresent();

  public interface Attempt {
    /** Records the end of the attempt. @param cause null if it succeeded */
    void ended(String what, String device, Throwable cause);
  }

  private FlightEvents() {
  }

  private static boolean recorded() {
    return EXISTS && FlightRecorder.isInitialized();
  }

  private static String message(Throwable cause) {
    return cause == null ? null : cause.getMessage();
  }

  @Name("io.github.vertxrdma.Registration")
  @Label("Registration")
  @Description("Memory was registered with a device.")
  @Category("vertx-rdma")
  @StackTrace(false)
  private static final class RegistrationEvent extends Event {
    @Label("Device")
    public String device;
    @Label("Size")
    @DataAmount
    public long size;
    @Label("Failure")
    public String failure;
  }

  public static MemoryRegion register(Domain domain, MemorySegment memory, Set<Access> access) {
    if (!recorded()) {
      return domain.register(memory, access);
    }
    RegistrationEvent event = new RegistrationEvent();
    event.begin();
    try {
      return domain.register(memory, access);
    } catch (RuntimeException e) {
      event.failure = e.getMessage();
      throw e;
    } finally {
      event.end();
      event.device = domain.device().name();
      event.size = memory.byteSize();
      event.commit();
    }
  }

  @Name("io.github.vertxrdma.Connect")
  @Label("Connect")
  @Description("An attempt to connect over one fabric, from its start until the connection is open or has failed.")
  @Category("vertx-rdma")
  @StackTrace(false)
  private static final class ConnectEvent extends Event implements Attempt {
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
      what = peer;
      device = deviceName;
      failure = message(cause);
      commit();
    }
  }

  public static Attempt connecting() {
    return recorded() ? ConnectEvent.start() : UNRECORDED;
  }

  @Name("io.github.vertxrdma.Connection")
  @Label("Connection")
  @Description("A connection opened or closed.")
  @Category("vertx-rdma")
  @StackTrace(false)
  private static final class ConnectionEvent extends Event {
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
  }

  /** @param cause null if the connection opened or was closed in order */
  public static void connection(String peer, String name, String device, boolean open, Throwable cause) {
    if (recorded()) {
      ConnectionEvent event = new ConnectionEvent();
      event.peer = peer;
      event.name = name;
      event.device = device;
      event.open = open;
      event.cause = message(cause);
      event.commit();
    }
  }

  @Name("io.github.vertxrdma.Refusal")
  @Label("Refusal")
  @Description("A peer was rejected, or did not finish its handshake.")
  @Category("vertx-rdma")
  @StackTrace(false)
  private static final class RefusalEvent extends Event {
    @Label("Why")
    public String why;
  }

  public static void refusal(String why) {
    if (recorded()) {
      RefusalEvent event = new RefusalEvent();
      event.why = why;
      event.commit();
    }
  }

  @Name("io.github.vertxrdma.NodeEnd")
  @Label("Node End")
  @Description("A connected node ended, or was lost.")
  @Category("vertx-rdma")
  @StackTrace(false)
  private static final class NodeEndEvent extends Event {
    @Label("Node")
    public String node;
    @Label("Name")
    public String name;
    @Label("Orderly")
    @Description("The node sent a good-bye.")
    public boolean orderly;
    @Label("Certain")
    @Description("The process of the node has ended. Otherwise it was silent, or could not be reached, for too long.")
    public boolean certain;
    @Label("Cause")
    public String cause;
  }

  public static void nodeEnd(String node, String name, boolean orderly, boolean certain, String cause) {
    if (recorded()) {
      NodeEndEvent event = new NodeEndEvent();
      event.node = node;
      event.name = name;
      event.orderly = orderly;
      event.certain = certain;
      event.cause = cause;
      event.commit();
    }
  }

  @Name("io.github.vertxrdma.Tcp")
  @Label("TCP")
  @Description("A connection of the event bus or of a stream to a peer used TCP.")
  @Category("vertx-rdma")
  @StackTrace(false)
  private static final class TcpEvent extends Event {
    @Label("Node")
    public String node;
    @Label("Name")
    public String name;
    @Label("Address")
    public String address;
    @Label("Reason")
    @Description("As in metrics.")
    public String reason;
    @Label("Why")
    public String why;
  }

  public static void tcp(String node, String name, String address, String reason, String why) {
    if (recorded()) {
      TcpEvent event = new TcpEvent();
      event.node = node;
      event.name = name;
      event.address = address;
      event.reason = reason;
      event.why = why;
      event.commit();
    }
  }

  @Name("io.github.vertxrdma.Retry")
  @Label("Retry")
  @Description("A device was busy for so long that a timer retries.")
  @Category("vertx-rdma")
  @StackTrace(false)
  private static final class RetryEvent extends Event {
    @Label("Device")
    public String device;
    @Label("Retries")
    public long retries;
  }

  public static void retry(String device, long retries) {
    if (recorded()) {
      RetryEvent event = new RetryEvent();
      event.device = device;
      event.retries = retries;
      event.commit();
    }
  }
}
