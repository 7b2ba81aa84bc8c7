package io.github.vertxrdma.provider.contract.parsers;

/**
 * A tested parser.
 *
 * @param name name of the parser and of its {@link Corpus}
 * @param refusal exception by which the parser refuses bytes
 * @param reading parses bytes, and reads all content
 * @param cost divides the number of inputs, and multiplies the memory limit
 */
public record Parser(String name, Class<? extends Exception> refusal, Reading reading, int cost) {
  public Parser(String name, Class<? extends Exception> refusal, Reading reading) {
    this(name, refusal, reading, 1);
  }

  @FunctionalInterface
  public interface Reading {
    void read(byte[] bytes) throws Exception;
  }
}
