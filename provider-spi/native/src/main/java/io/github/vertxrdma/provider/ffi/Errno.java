package io.github.vertxrdma.provider.ffi;

import io.github.vertxrdma.provider.ProviderException;
import java.lang.foreign.Arena;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** Names and texts of Linux error numbers, and the errno of captured calls; errno(3). */
public final class Errno {
  public static final int EPERM = 1;
  public static final int ENOENT = 2;
  public static final int EINTR = 4;
  public static final int EIO = 5;
  public static final int EAGAIN = 11;
  public static final int ENOMEM = 12;
  public static final int EACCES = 13;
  public static final int EFAULT = 14;
  public static final int EBUSY = 16;
  public static final int ENODEV = 19;
  public static final int EINVAL = 22;
  public static final int ENFILE = 23;
  public static final int EMFILE = 24;
  public static final int ENOSPC = 28;
  public static final int EPIPE = 32;
  public static final int ENOSYS = 38;
  public static final int ENODATA = 61;
  public static final int EMSGSIZE = 90;
  public static final int EOPNOTSUPP = 95;
  public static final int EADDRINUSE = 98;
  public static final int EADDRNOTAVAIL = 99;
  public static final int ENETUNREACH = 101;
  public static final int ECONNABORTED = 103;
  public static final int ECONNRESET = 104;
  public static final int ENOBUFS = 105;
  public static final int ENOTCONN = 107;
  public static final int ESHUTDOWN = 108;
  public static final int ETOOMANYREFS = 109;
  public static final int ETIMEDOUT = 110;
  public static final int ECONNREFUSED = 111;
  public static final int EHOSTUNREACH = 113;
  public static final int EALREADY = 114;
  public static final int EINPROGRESS = 115;
  public static final int ECANCELED = 125;

  private static final Map<Integer, String> NAMES = Map.ofEntries(
    Map.entry(1, "EPERM"), Map.entry(2, "ENOENT"), Map.entry(3, "ESRCH"), Map.entry(4, "EINTR"), Map.entry(5, "EIO"),
    Map.entry(6, "ENXIO"), Map.entry(7, "E2BIG"), Map.entry(9, "EBADF"), Map.entry(11, "EAGAIN"), Map.entry(12, "ENOMEM"),
    Map.entry(13, "EACCES"), Map.entry(14, "EFAULT"), Map.entry(16, "EBUSY"), Map.entry(17, "EEXIST"), Map.entry(19, "ENODEV"),
    Map.entry(20, "ENOTDIR"), Map.entry(21, "EISDIR"), Map.entry(22, "EINVAL"), Map.entry(23, "ENFILE"), Map.entry(24, "EMFILE"),
    Map.entry(27, "EFBIG"), Map.entry(28, "ENOSPC"), Map.entry(30, "EROFS"), Map.entry(32, "EPIPE"), Map.entry(33, "EDOM"),
    Map.entry(34, "ERANGE"), Map.entry(36, "ENAMETOOLONG"), Map.entry(38, "ENOSYS"), Map.entry(42, "ENOMSG"),
    Map.entry(61, "ENODATA"), Map.entry(62, "ETIME"), Map.entry(67, "ENOLINK"), Map.entry(70, "ECOMM"), Map.entry(71, "EPROTO"),
    Map.entry(74, "EBADMSG"), Map.entry(75, "EOVERFLOW"), Map.entry(90, "EMSGSIZE"), Map.entry(92, "ENOPROTOOPT"),
    Map.entry(93, "EPROTONOSUPPORT"), Map.entry(95, "EOPNOTSUPP"), Map.entry(97, "EAFNOSUPPORT"), Map.entry(98, "EADDRINUSE"),
    Map.entry(99, "EADDRNOTAVAIL"), Map.entry(100, "ENETDOWN"), Map.entry(101, "ENETUNREACH"), Map.entry(103, "ECONNABORTED"),
    Map.entry(104, "ECONNRESET"), Map.entry(105, "ENOBUFS"), Map.entry(106, "EISCONN"), Map.entry(107, "ENOTCONN"),
    Map.entry(108, "ESHUTDOWN"), Map.entry(110, "ETIMEDOUT"), Map.entry(111, "ECONNREFUSED"), Map.entry(112, "EHOSTDOWN"),
    Map.entry(113, "EHOSTUNREACH"), Map.entry(114, "EALREADY"), Map.entry(115, "EINPROGRESS"), Map.entry(121, "EREMOTEIO"),
    Map.entry(125, "ECANCELED"), Map.entry(126, "ENOKEY"), Map.entry(129, "EKEYREJECTED"));

  private static final MemorySegment STRERROR = Downcall.function("strerror");
  private static final Charset ENCODING = Charset.forName(System.getProperty("native.encoding"), StandardCharsets.UTF_8);
  private static final ThreadLocal<MemorySegment> STATE = ThreadLocal
    .withInitial(() -> Arena.ofAuto().allocate(Linker.Option.captureStateLayout()));

  private Errno() {
  }

  /** Returns the memory where capturing calls of this thread store errno. */
  public static MemorySegment state() {
    return STATE.get();
  }

  /** Returns errno of this thread's last capturing call. Valid only if that call failed. */
  public static int last() {
    return STATE.get().get(ValueLayout.JAVA_INT, 0);
  }

  /** Returns a name such as {@code ENOMEM}, otherwise the number. */
  public static String name(int errno) {
    return NAMES.getOrDefault(errno, "errno " + errno);
  }

  public static String describe(int errno) {
    return "errno " + errno + (NAMES.containsKey(errno) ? " " + NAMES.get(errno) : "") + ", " + message(errno);
  }

  /** Returns an exception with the text and the errno of this thread's last capturing call. */
  public static ProviderException failure(ProviderException.Reason reason, String what) {
    return new ProviderException(reason, last(), what + ": " + describe(last()));
  }

  public static String message(int errno) {
    return Memory.getString(Calls.plain(STRERROR, errno), ENCODING);
  }
}
