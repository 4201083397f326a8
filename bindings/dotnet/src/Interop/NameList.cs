using System.Collections.Generic;

namespace MerchantPay.Interop
{
    internal sealed class Names<T> : Dictionary<string, T> where T : struct
    {
        /// <summary>The word with this name; null if there is no name, or if this version does not know it.</summary>
        internal T? Find(string name)
        {
            T word;
            return name != null && TryGetValue(name, out word) ? word : (T?)null;
        }

        internal IReadOnlyList<T> Known(IEnumerable<string> names)
        {
            var words = new List<T>();
            foreach (var name in names)
            {
                if (ContainsKey(name)) words.Add(this[name]);
            }
            return words;
        }

        /// <summary>The name of a word; null if there is no word. The library refuses the name of a number that is no word.</summary>
        internal string Of(T? word)
        {
            foreach (var pair in this)
            {
                if (pair.Value.Equals(word)) return pair.Key;
            }
            return word == null ? null : word.ToString();
        }
    }
}
